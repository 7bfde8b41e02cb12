import { awk } from './commands/awk.ts';
import { ctreeCheck, ctreeGenerate, serenaFindSymbol } from './commands/code.ts';
import {
  cat,
  column,
  comm,
  cut,
  diff,
  head,
  join,
  nl,
  paste,
  tac,
  tail,
  uniq,
  wc,
} from './commands/coreutils.ts';
import { fd } from './commands/fd.ts';
import { find } from './commands/find.ts';
import { grep } from './commands/grep.ts';
import { jq } from './commands/jq.ts';
import { ls } from './commands/ls.ts';
import { rg } from './commands/rg.ts';
import { sed } from './commands/sed.ts';
import { sort } from './commands/sort.ts';
import { tee } from './commands/tee.ts';
import { tr } from './commands/tr.ts';
import type { Grammar } from './grammar.ts';

/** Every command of the source document, then those of `pipeline.commands: "extended"`. */
export const grammars: readonly Grammar[] = [
  tail,
  rg,
  awk,
  sed,
  tr,
  jq,
  wc,
  tee,
  fd,
  ls,
  head,
  sort,
  ctreeCheck,
  ctreeGenerate,
  serenaFindSymbol,
  cat,
  grep,
  uniq,
  cut,
  nl,
  tac,
  paste,
  comm,
  join,
  diff,
  column,
  find,
];

/** Finds a command by its exact, bare name. */
export function findGrammar(name: string, extended: boolean): Grammar | undefined {
  return grammars.find((grammar) => grammar.command === name && (extended || !grammar.extended));
}
