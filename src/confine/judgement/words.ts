import type { ParsedScript, Word as SyntaxWord, WordPart } from 'unbash';
import { counters } from './counters.ts';
import { isPlainText } from './print/quote.ts';

/**
 * A word of a command as far as it can be known before it runs. `value` is there only when the shell can make
 * exactly one argument of it, with exactly these characters.
 */
export interface Word {
  readonly value: string | undefined;
  /** What the argument surely begins with; the whole of it when `value` is there. */
  readonly prefix: string;
  /** As the caller wrote it, quotes and all. */
  readonly text: string;
  /** What it is put together from; `variables.ts` fills in what the script itself decides. */
  readonly pieces: readonly Piece[];
  /** A path that find found by its name, below these. */
  readonly below?: readonly Word[];
  /** Words of the standard input, parted by NUL or by blanks. */
  readonly isInput?: 'paths' | 'words';
  /** Where it stands, if it is a constant or the end of one: a script in it is written anew there. */
  readonly at?: Written;
}

/** A constant in a text that runs: a word of it from `pos` to `end`, or the lines of a here-document. */
export interface Written {
  readonly pos: number;
  readonly end: number;
  readonly value: string;
  /** What ends the here-document. */
  readonly delimiter?: string;
}

/** Literal text, a plain variable, or something that cannot be known: a glob, a brace, a substitution. */
export type Piece =
  | { readonly kind: 'literal'; readonly text: string; readonly quoted: boolean }
  | {
      readonly kind: 'variable';
      readonly name: string;
      readonly quoted: boolean;
      /** It was surely given a value before, wherever the script came from there. */
      readonly isSet?: boolean;
    }
  | { readonly kind: 'glob'; readonly text: string }
  | { readonly kind: 'brace'; readonly text: string }
  | {
      readonly kind: 'unknown';
      readonly oneField: boolean;
      readonly isNumber?: boolean;
      readonly candidates?: readonly string[];
      /** A variable, or where that is empty `otherwise`: `${x:-a}`; with none the shell stops: `${x:?}`. */
      readonly name?: string | undefined;
      readonly otherwise?: string | undefined;
      /** Every element, or every index, of this array. */
      readonly listOf?: string | undefined;
      readonly keysOf?: string | undefined;
      /** The substitution that it comes from. */
      readonly script?: ParsedScript | undefined;
    };

/** Reads a word of the syntax tree. */
export function readWord(word: SyntaxWord): Word {
  // To ask for the parts of a word makes them, and most have none.
  if (isPlainText(word.text)) return literalWord(word.text);
  if (!word.parts) {
    if (looksExpanded(word.text)) return unknownWord(word.text);
    const quoted = !word.text.startsWith('~');
    return wordOf([{ kind: 'literal', text: word.value, quoted }], word.text);
  }
  const pieces = word.parts.flatMap((part) => piecesOf(part, false));
  return wordOf(pieces, word.text);
}

/** A word that came as data: no shell expands anything in it. */
export function literalWord(value: string): Word {
  return { value, prefix: value, text: value, pieces: [{ kind: 'literal', text: value, quoted: true }] };
}

/** A word that is not known at all and may become any number of arguments. */
export function unknownWord(text: string, prefix = '', oneField = false): Word {
  const pieces: Piece[] = [{ kind: 'unknown', oneField }];
  if (prefix !== '') pieces.unshift({ kind: 'literal', text: prefix, quoted: true });
  return { value: undefined, prefix, text, pieces };
}

/** Does the word stand for exactly one argument, even if it is not known which? */
export function isOneField(word: Word): boolean {
  return word.pieces.every((piece) => {
    if (piece.kind === 'literal') return true;
    if (piece.kind === 'variable') return piece.quoted && !/^[@*]$/.test(piece.name);
    return piece.kind === 'unknown' && piece.oneField;
  });
}

/** May the word become an option, or is it surely an operand? */
export function mayBeOption(word: Word): boolean {
  return word.value === undefined && (word.prefix === '' || word.prefix.startsWith('-'));
}

/** May the word become just this text? A wildcard stands for whatever it may find. */
export function mayBe(word: Word, text: string): boolean {
  if (word.value !== undefined) return word.value === text;
  let at = 0;
  let isFree = false;
  for (const piece of word.pieces) {
    if (piece.kind !== 'literal') {
      // What is parted into words can be any of them.
      if (piece.kind !== 'glob' && !isOneField({ ...word, pieces: [piece] })) return true;
      isFree = true;
      continue;
    }
    const found = isFree ? text.indexOf(piece.text, at) : text.startsWith(piece.text, at) ? at : -1;
    if (found < 0) return false;
    at = found + piece.text.length;
    isFree = false;
  }
  if (isFree || at === text.length) return true;
  // Only the last of several places may have been the one that ends it.
  const last = word.pieces.at(-1);
  return word.pieces.length > 1 && last?.kind === 'literal' && text.endsWith(last.text);
}

/** A leading `~` that the shell replaces by a home folder. */
export function hasTilde(word: Word): boolean {
  const first = word.pieces[0];
  return first?.kind === 'literal' && !first.quoted && first.text.startsWith('~');
}

/** The end of a word from `start`, keeping what is not known of it. */
export function partOf(word: Word, start: number): Word {
  let skip = start;
  const pieces = word.pieces.flatMap((piece) => {
    if (skip <= 0 || piece.kind !== 'literal') {
      skip = 0;
      return [piece];
    }
    const rest = piece.text.slice(skip);
    skip -= Math.min(skip, piece.text.length);
    return rest === '' ? [] : [{ ...piece, text: rest }];
  });
  return {
    value: word.value?.slice(start),
    prefix: word.prefix.slice(start),
    text: word.text,
    pieces,
    ...(word.at && { at: word.at }),
  };
}

/** A word of these pieces. */
export function wordOf(pieces: readonly Piece[], text: string): Word {
  const literals: string[] = [];
  let known = true;
  for (const piece of pieces) {
    if (piece.kind !== 'literal') {
      known = false;
      break;
    }
    literals.push(piece.text);
  }
  const prefix = literals.join('');
  return { value: known ? prefix : undefined, prefix, text, pieces };
}

function piecesOf(part: WordPart, quoted: boolean): Piece[] {
  switch (part.type) {
    case 'Literal':
      return [{ kind: 'literal', text: part.value, quoted }];
    case 'SingleQuoted':
      return [{ kind: 'literal', text: part.value, quoted: true }];
    case 'AnsiCQuoted':
      // What a \u beyond ASCII becomes depends on the locale of the shell that runs it.
      return /^[\x01-\x7f]*$/.test(part.value) || !/\\[uU]/.test(part.text)
        ? [{ kind: 'literal', text: part.value, quoted: true }]
        : [{ kind: 'unknown', oneField: true }];
    // A message catalogue could translate it, were TEXTDOMAIN not refused.
    case 'LocaleString':
    case 'DoubleQuoted':
      return part.parts.length === 0
        ? [{ kind: 'literal', text: '', quoted: true }]
        : part.parts.flatMap((child) => piecesOf(child, true));
    case 'SimpleExpansion': {
      const name = part.text.replaceAll('\\\n', '').slice(1);
      return [{ kind: 'variable', name, quoted }];
    }
    case 'ParameterExpansion':
      if (part.index || part.operation || part.prefix) return [changedVariable(part, quoted)];
      return [{ kind: 'variable', name: part.parameter, quoted }];
    case 'Glob':
    case 'ExtendedGlob':
      return [{ kind: 'glob', text: part.text }];
    case 'BraceExpansion':
      return [{ kind: 'brace', text: part.text }];
    case 'ArithmeticExpansion':
      return [{ kind: 'unknown', oneField: true, isNumber: true }];
    case 'CommandExpansion': {
      if (isHere(part.script)) return [{ kind: 'variable', name: 'PWD', quoted }];
      const isNumber = countsOnly(part.script);
      return [
        {
          kind: 'unknown',
          oneField: quoted || isNumber,
          isNumber,
          candidates: echoed(part.script),
          script: part.script,
        },
      ];
    }
    case 'ProcessSubstitution':
      return [
        { kind: 'literal', text: '/dev/fd/', quoted: true },
        { kind: 'unknown', oneField: true, script: part.script },
      ];
  }
}

/** `${x:-word}`, `${#x}`, `${x[0]}` and the like. */
function changedVariable(part: WordPart & { type: 'ParameterExpansion' }, quoted: boolean): Piece {
  const { index, operation, parameter, prefix } = part;
  const isNumber = prefix === '#' && !operation;
  const isAll = index !== undefined && /^[@*]$/.test(index.text) && !operation;
  const operand = operation?.type === 'Default' ? readWord(operation.operand).value : undefined;
  const isPlain = operation?.type === 'Default' && !prefix && !index && /^[A-Za-z_]\w*$/.test(parameter);
  return {
    kind: 'unknown',
    oneField: isNumber || (quoted && !isList(part.text)),
    isNumber,
    candidates: operand === undefined ? [] : [operand],
    ...(isAll && !prefix && { listOf: parameter }),
    ...(isAll && prefix === '!' && { keysOf: parameter }),
    ...(isPlain &&
      /^:[-=]$/.test(operation.operator) &&
      operand !== undefined && { name: parameter, otherwise: operand }),
    ...(isPlain && operation.operator === ':?' && { name: parameter }),
  };
}

/** What a substitution of a plain echo gives: good for a suspicion, not for an acquittal. */
function echoed(script: ParsedScript | undefined): readonly string[] {
  const command = script?.commands[0]?.command;
  if (script?.commands.length !== 1 || command?.type !== 'Command') return [];
  if (!/^(echo|printf)$/.test(command.name?.text ?? '')) return [];
  const words = command.suffix.flatMap((part) => (part.type === 'Word' ? [constantOf(part)] : []));
  return [words.join(' '), ...words.flatMap((word) => word ?? [])];
}

/** Not read where it holds another substitution: each level would be read once for every one around it. */
function constantOf(word: SyntaxWord): string | undefined {
  return word.parts?.some(holdsExpansion) ? undefined : readWord(word).value;
}

function holdsExpansion(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') return part.parts.some(holdsExpansion);
  return /(Expansion|Substitution)$/.test(part.type);
}

/** `$(pwd)`. */
function isHere(script: ParsedScript | undefined): boolean {
  const command =
    script?.commands.length === 1 && !script.errors?.length ? script.commands[0]?.command : undefined;
  if (command?.type !== 'Command' || command.name?.text !== 'pwd') return false;
  return command.args.length + command.prefix.length + command.redirects.length === 0;
}

/** `stat -c %s f` and `grep -c x f`, where no word can turn into an option that prints a name. */
function countsFile(name: string, [first, second, file, ...more]: readonly Word[]): boolean {
  if (first?.value === undefined || second?.value === undefined || more.length > 0) return false;
  if (name === 'stat')
    return first.value === '-c' && /^%[sYXZWhiug]$/.test(second.value) && !!file && isOneField(file);
  return (
    name === 'grep' &&
    /^-[iwxvEFP]*c[iwxvEFP]*$/.test(first.value) &&
    !second.value.startsWith('-') &&
    (file === undefined || (isOneField(file) && /^[^-]/.test(file.prefix)))
  );
}

/** `$(command -v python3 || which python)`: each program that it may find. */
export function programsFound(script: ParsedScript | undefined): readonly string[] | undefined {
  const [statement, ...more] = script?.commands ?? [];
  if (!statement || more.length > 0 || script?.errors?.length || statement.background) return undefined;
  const { command } = statement;
  const parts = command.type === 'AndOr' ? command.commands : [command];
  if (command.type === 'AndOr' && command.operators.some((operator) => operator !== '||')) return undefined;
  const names = parts.map((part) => {
    if (part.type !== 'Command' || part.prefix.length > 0 || part.args.some(({ type }) => type !== 'Word'))
      return undefined;
    const line = [part.name?.text ?? '', ...part.args.map((arg) => ('text' in arg ? arg.text : ''))].join(
      ' ',
    );
    return /^(which|command -v|type -[pP]|realpath|readlink -f) ([\w.+-]*\w)$/.exec(line)?.[2];
  });
  return names.every((name) => name !== undefined) ? names : undefined;
}

/** `$(git rev-parse --show-toplevel)`, `$(dirname "$f")`: one path. */
export function givesPath(script: ParsedScript | undefined): boolean {
  const [statement, ...more] = script?.commands ?? [];
  const command = statement?.command;
  if (more.length > 0 || command?.type !== 'Command' || script?.errors?.length) return false;
  if (command.prefix.length > 0 || statement?.background) return false;
  const name = command.name?.text ?? '';
  const [verb, what] = command.args.map((arg) => (arg.type === 'Word' ? arg.text : ''));
  if (name === 'git')
    return verb === 'rev-parse' && /^--(show-toplevel|git-dir|git-common-dir)$/.test(what ?? '');
  return /^(dirname|realpath|readlink|pwd)$/.test(name);
}

/** Does it give nothing but the path of a new file or folder of mktemp's own? */
export function isNewPath(script: ParsedScript | undefined): boolean {
  const command =
    script?.commands.length === 1 && !script.errors?.length ? script.commands[0]?.command : undefined;
  if (command?.type !== 'Command' || command.name?.text !== 'mktemp' || command.prefix.length > 0)
    return false;
  return (
    command.args.every(
      (word) => word.type === 'Word' && /^(-d|-t|--directory|[\w/][\w/.-]*)$/.test(word.text),
    ) && !command.args.some((word, at) => /^[\w]/.test(word.text) && command.args[at - 1]?.text !== '-t')
  );
}

/** `$(wc -l < f)`, `$(ls | wc -l)`, `$(id -u)`. */
export function countsOnly(script: ParsedScript | undefined): boolean {
  const statement =
    script?.commands.length === 1 && !script.errors?.length ? script.commands[0]?.command : undefined;
  const last = statement?.type === 'Pipeline' ? statement.commands.at(-1) : statement;
  if (last?.type !== 'Command' || last.prefix.length > 0) return false;
  const name = last.name?.text ?? '';
  const words = Object.hasOwn(counters, name) ? counters[name] : undefined;
  // Any other's words are left unread: in a deep nest each level would be read for every one around it.
  if (!words && name !== 'stat' && name !== 'grep') return false;
  if (!words)
    return countsFile(
      name,
      last.args.flatMap((word) => (word.type === 'Word' ? [readWord(word)] : [])),
    );
  return last.args.every((word) => word.type === 'Word' && words.test(word.text));
}

/** `${@:2}`, `${list[@]}` and `${!name*}` make several words even between quotes. */
function isList(text: string): boolean {
  return /@|\*/.test(text);
}

/** Past its nesting limit the parser keeps a word's text without parts; such a word is not known. */
function looksExpanded(text: string): boolean {
  const bare = text.replace(/\\[\s\S]/g, '');
  if (/[`*?]|\$[\w{(?#@*!$'"-]/.test(bare)) return true;
  if (bare.includes('[') && bare.includes(']', bare.indexOf('['))) return true;
  return bare.includes('{') && /,|\.\./.test(bare);
}
