import { awk } from './commands/awk.ts';
import { codeCommands } from './commands/code.ts';
import { coreutils, further } from './commands/coreutils.ts';
import { fd } from './commands/fd.ts';
import { find } from './commands/find.ts';
import { grep } from './commands/grep.ts';
import { jq } from './commands/jq.ts';
import { rg } from './commands/rg.ts';
import { sed } from './commands/sed.ts';
import { tee } from './commands/tee.ts';
import type { Grammar } from './grammar.ts';

/** Every command of the source document, then those of `pipeline.commands: "extended"`. */
const documented: readonly Grammar[] = [
  ...Object.values(coreutils),
  ...codeCommands,
  ...[rg, awk, sed, jq, tee, fd],
];
const extendedOnly: readonly Grammar[] = [...Object.values(further), grep, find];

/** Finds a command by its exact, bare name. */
export function findGrammar(name: string, extended: boolean): Grammar | undefined {
  return [...documented, ...(extended ? extendedOnly : [])].find(({ command }) => command === name);
}
