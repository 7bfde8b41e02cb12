import { programOf } from './programs.ts';
import type { Use } from './rules/rule.ts';
import { startPrefix } from './unwrap/find.ts';
import { isFromEnvironment, type Variables } from './variables/values.ts';
import { readOptions } from './words/options.ts';
import { readWord } from './words/read-word.ts';
import { operandsOf } from './words/subcommands.ts';
import { isOneField, type Piece, type Word } from './words/word.ts';

type Command = Pick<Use, 'program' | 'args'>;

/** `$(find bin -type f)`, `$(git rev-parse --show-toplevel)`: what it prints are names of files. */
export function isListing(piece: Piece): boolean {
  if (piece.kind !== 'unknown' || !piece.script || piece.script.errors?.length) return false;
  const [statement, ...more] = piece.script.commands;
  if (!statement || more.length > 0 || statement.background) return false;
  const { command } = statement;
  const stages = command.type === 'Pipeline' ? command.commands : [command];
  return stages.every((stage, at) => {
    if (stage.type !== 'Command' || stage.prefix.length > 0) return false;
    const args = stage.args.flatMap((arg) => (arg.type === 'Word' ? [readWord(arg)] : []));
    const use = { program: programOf(stage.name?.value ?? ''), args };
    // What is written out is no listing: `$(echo -delete)`.
    if (/^(echo|printf|seq)$/.test(use.program)) return false;
    return at === 0 ? listsNames(use) || namesFile(use) : choosesLines(use);
  });
}

/** Nothing in it but what the environment says, names of files, and what lists such. */
export function isPath({ pieces }: Pick<Word, 'pieces'>, variables: Variables): boolean {
  return isFromEnvironment(
    { pieces: pieces.filter((piece) => piece.kind !== 'glob' && !isListing(piece)) },
    variables,
  );
}

/** `$(git ls-files)`, `$(find . -type f)`: the names of all that is there, none chosen by how it is called. */
export function listsAll(piece: Piece): boolean {
  if (piece.kind !== 'unknown' || !piece.script || !isListing(piece)) return false;
  const command = piece.script.commands[0]?.command;
  const stages = command?.type === 'Pipeline' ? command.commands : [command];
  const uses = stages.flatMap((stage) =>
    stage?.type === 'Command'
      ? [
          {
            program: programOf(stage.name?.value ?? ''),
            args: stage.args.flatMap((arg) => (arg.type === 'Word' ? [readWord(arg)] : [])),
          },
        ]
      : [],
  );
  const [first, ...rest] = uses;
  return first !== undefined && listsAllNames(first) && !rest.some(({ program }) => program.endsWith('grep'));
}

/** Files that git does not keep, or has in a state of their own (git-ls-files(1)). */
const chosenByGit = /^(--(others|ignored|deleted|modified|killed|unmerged)|-[a-z]*[oidmku][a-z]*)$/;

/** A listing that chooses nothing by its name, its age or its size. */
export function listsAllNames({ program, args }: Command): boolean {
  switch (program) {
    case 'find':
      return !args.some(({ value }, at) =>
        /^-i?(name|path|regex|wholename)$/.test(value ?? '')
          ? /\w/.test(args[at + 1]?.text ?? '')
          : /^-([acm](min|time)|newer.*|size|empty|user|group|perm)$/.test(value ?? ''),
      );
    case 'git': {
      const isChosen = args.some(({ value }) => chosenByGit.test(value ?? ''));
      if (isChosen && !args.some(({ value }) => /^(--cached|-[a-z]*c[a-z]*)$/.test(value ?? '')))
        return false;
      return !operandsOf(args).some(({ value, text }) => value !== 'ls-files' && /\w/.test(text));
    }
    case 'ls':
      return !operandsOf(args).some(({ value, text }) => value !== 'ls-files' && /\w/.test(text));
    case 'rg':
    case 'fd':
    case 'fdfind': {
      const { operands, given } = readOptions(args, { valued: 'tedEgSco' });
      const isChosen = given.some(({ name }) => /^([eg]|extension|glob)$/.test(name));
      return !isChosen && !operands.some(({ text }) => /\w/.test(text));
    }
    default:
      return false;
  }
}

function namesFile({ program, args }: Command): boolean {
  const [verb, what] = args;
  return (
    /^(dirname|basename|realpath|readlink|mktemp|pwd)$/.test(program) ||
    (program === 'git' &&
      verb?.value === 'rev-parse' &&
      /^--(show-toplevel|git-dir)$/.test(what?.value ?? '')) ||
    (program === 'brew' && verb?.value === '--prefix')
  );
}

/** A find that prints nothing but paths parted by NUL, none of which can be taken for an option. */
export function listsPaths({ program, args }: Use): boolean {
  return (
    program === 'find' &&
    /^[\w./]/.test(startPrefix(args)) &&
    args.some(({ value }) => value === '-print0') &&
    !args.some(
      (word) =>
        word.value === undefined || /^-(printf|print|ls|exec|ok)/.test(word.value.replace(/^-print0$/, '')),
    )
  );
}

/** Gives on some of the lines that it reads, as they are. */
export function choosesLines({ program, args }: Command): boolean {
  const operands = readOptions(args, { valued: 'nkcSTABCmeftsw' }).operands.length;
  switch (program) {
    case 'grep':
    case 'egrep':
    case 'fgrep': {
      const isPlain = !args.some(({ prefix }) =>
        /^-[a-zA-Z]*[ocnHbrR]|^--(only|count|line|with|byte|null)/.test(prefix),
      );
      return isPlain && operands <= (args.some(({ prefix }) => /^-[a-zA-Z]*[ef]/.test(prefix)) ? 0 : 1);
    }
    case 'sort':
    case 'uniq':
      return operands === 0 && !args.some(({ prefix }) => /^-[a-zA-Z]*[oc]|^--(out|co|files0)/.test(prefix));
    case 'head':
    case 'tail':
    case 'tac':
    case 'shuf':
      return operands === 0;
    default:
      return false;
  }
}

/** Prints names of files that are there, or words that are written out here: nothing that a shell would take for code. */
export function listsNames({ program, args }: Command): boolean {
  const has = (pattern: RegExp) => args.some(({ value }) => pattern.test(value ?? ''));
  if (program !== 'find' && args.some(({ value }) => value === undefined) && !/^(ls|seq)$/.test(program))
    return false;
  switch (program) {
    case 'find':
      return !args.some(
        (word) =>
          (word.value === undefined && !isOneField(word)) || /^-(f?printf|exec|ok|f?ls)/.test(word.prefix),
      );
    case 'ls':
    case 'seq':
    case 'fd':
    case 'fdfind':
      return !has(/^-[xX]|^--exec/);
    case 'rg':
      return has(/^(-[a-zA-Z]*l|--files(-with-matches)?$)/);
    case 'grep':
      return has(/^-[a-zA-Z]*[lL]/);
    case 'git':
      return has(/^ls-files$/) || (has(/^diff$/) && has(/^--name-only$/));
    case 'echo':
    case 'printf':
      return args.every(({ value }) => /^[\w ./%\\@:,+-]*$/.test(value ?? ';'));
    default:
      return false;
  }
}
