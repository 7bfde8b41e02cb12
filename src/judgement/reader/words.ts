import type { Assignment, DoubleQuotedChild, Word as SyntaxWord, WordPart } from 'unbash';
import { literalWord, type Word } from '../words/word.ts';
import type { Names } from './names.ts';

/** A part of a word that is known only when it runs: the value of a variable, or the output of a command. */
interface Hole {
  readonly name?: string | undefined;
  /** The default for an empty or missing value: `${name:-otherwise}`. */
  readonly otherwise?: string | undefined;
  /** Each element of an array becomes a word. */
  readonly isList?: boolean;
  readonly isQuoted: boolean;
}

type Piece = string | Hole;

const maxWays = 16;

/** Does every shell read the text as itself? Most words are of this kind. */
export function isPlainText(text: string): boolean {
  return /^[\w./:@%,+=-]+$/.test(text);
}

/**
 * Expands a word of the syntax: a list of words for each combination of its variables' values. Nearly always the result
 * is one word.
 */
export function readWord(node: SyntaxWord, names: Names): readonly (readonly Word[])[] {
  const { text } = node;
  if (isPlainText(text)) return [[literalWord(text)]];
  if (/^(?:'[^']*'|"[^"$`\\]*")$/.test(text)) return [[literalWord(text.slice(1, -1), text)]];
  const { parts } = node;
  if (!parts) {
    if (isUnparsed(node)) return [[openOf([{ isQuoted: false }], text)]];
    return [[text.startsWith('~') ? patternWord(node.value, text) : literalWord(node.value, text)]];
  }
  const pieces: Piece[] = [];
  for (const part of parts) addPieces(part, false, pieces);
  const isPattern = text.startsWith('~') || parts.some(({ type }) => /Glob$|^BraceExpansion$/.test(type));
  const isOpen = pieces.some((piece) => typeof piece !== 'string');
  if (!isOpen) {
    const value = pieces.join('');
    return [[isPattern ? patternWord(value, text) : literalWord(value, text)]];
  }
  return waysOf(pieces, names, text) ?? [[openOf(filled(pieces, names), text)]];
}

/** The literal value of a word, if it has only one. */
export function constantOf(node: SyntaxWord): string | undefined {
  if (isPlainText(node.text)) return node.text;
  if (!node.parts) return isUnparsed(node) ? undefined : node.value;
  const pieces: Piece[] = [];
  for (const part of node.parts) addPieces(part, false, pieces);
  return pieces.every((piece) => typeof piece === 'string') ? pieces.join('') : undefined;
}

/** Turns an assignment among the words of a command into one word. */
export function assignmentWord(node: Assignment, names: Names): Word {
  const name = `${node.name}${node.append ? '+' : ''}=`;
  const value = node.value.type === 'Word' && !node.index ? readWord(node.value, names)[0]?.[0] : undefined;
  if (value?.value === undefined)
    return { value: undefined, prefix: name + (value?.prefix ?? ''), text: node.text };
  return literalWord(name + value.value, node.text);
}

/** Beyond its nesting limit the parser keeps a word's text without parts. */
export function isUnparsed({ text, parts }: Pick<SyntaxWord, 'text' | 'parts'>): boolean {
  if (parts) return false;
  return /`|\$[\w{(?#@*!$'"-]/.test(text.replace(/\\[\s\S]/g, ''));
}

function addPieces(part: WordPart | DoubleQuotedChild, isQuoted: boolean, pieces: Piece[]): void {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      pieces.push(part.value);
      return;
    case 'LocaleString':
    case 'DoubleQuoted':
      if (part.parts.length === 0) pieces.push('');
      for (const child of part.parts) addPieces(child, true, pieces);
      return;
    case 'Glob':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      pieces.push(part.text);
      return;
    case 'SimpleExpansion':
      pieces.push({ name: part.text.replaceAll('\\\n', '').slice(1), isQuoted });
      return;
    case 'ParameterExpansion':
      pieces.push(holeOf(part, isQuoted));
      return;
    case 'ProcessSubstitution':
      pieces.push('/dev/fd/', { isQuoted: true });
      return;
    default:
      pieces.push({ isQuoted });
  }
}

function holeOf(part: WordPart & { type: 'ParameterExpansion' }, isQuoted: boolean): Hole {
  const { index, operation, parameter, prefix } = part;
  if (prefix) return { isQuoted };
  const isList = index !== undefined && /^[@*]$/.test(index.text);
  if (/^[@*]$/.test(parameter)) return { name: parameter, isQuoted };
  if ((index && !isList) || (operation && operation.type !== 'Default')) return { isQuoted };
  const otherwise =
    operation?.type === 'Default' && /[-=]/.test(operation.operator)
      ? constantOf(operation.operand)
      : undefined;
  if (operation && otherwise === undefined) return { isQuoted };
  return { name: parameter, otherwise, isList, isQuoted };
}

/** The possible values of a hole; undefined if they are not known. */
function valuesOf({ name, otherwise, isList }: Hole, names: Names): readonly string[] | undefined {
  if (name === undefined || isList) return undefined;
  if (otherwise === undefined) return names.valuesOf(name);
  if (!names.has(name)) return [otherwise];
  const values = names.valuesOf(name);
  return values && [...new Set([...values.filter((value) => value !== ''), otherwise])];
}

function waysOf(
  pieces: readonly Piece[],
  names: Names,
  text: string,
): readonly (readonly Word[])[] | undefined {
  const [only, ...more] = pieces;
  if (more.length === 0 && only !== undefined && typeof only !== 'string') {
    if (only.isList && only.name !== undefined)
      return names.listsOf(only.name)?.map((list) => list.map((value) => literalWord(value, text)));
    // An unquoted value is split at blanks.
    if (!only.isQuoted)
      return valuesOf(only, names)?.map((value) =>
        (value.match(/[^ \t\n]+/g) ?? []).map((one) => written(one, text)),
      );
  }
  let ways: string[] = [''];
  for (const piece of pieces) {
    const values = typeof piece === 'string' ? [piece] : valuesOf(piece, names);
    if (!values || values.length * ways.length > maxWays) return undefined;
    ways = ways.flatMap((before) => values.map((value) => before + value));
  }
  return ways.map((value) => [literalWord(value, text)]);
}

/** Fills in the variables that have only one value. */
function filled(pieces: readonly Piece[], names: Names): readonly Piece[] {
  return pieces.map((piece) => {
    const [value, ...others] = (typeof piece === 'string' ? undefined : valuesOf(piece, names)) ?? [];
    return value !== undefined && others.length === 0 ? value : piece;
  });
}

function openOf(pieces: readonly Piece[], text: string): Word {
  const hole = pieces.findIndex((piece) => typeof piece !== 'string');
  const prefix = pieces.slice(0, hole).join('');
  const isSaid = pieces.some((piece) => typeof piece === 'string' && piece.trim() !== '');
  const script = isSaid ? pieces.map(inScript).join('') : undefined;
  return { value: undefined, prefix, text, script };
}

/** In a script, a variable stays as its name; any other hole becomes a name without known values. */
function inScript(piece: Piece): string {
  if (typeof piece === 'string') return piece;
  return /^(\w+|[@*#?!$-])$/.test(piece.name ?? '') ? `\${${piece.name}}` : '${_}';
}

/** Treats a value as if it had been written in place of the variable. */
function written(value: string, text: string): Word {
  return /[*?[{]|^~/.test(value) ? patternWord(value, text) : literalWord(value, text);
}

function patternWord(value: string, text: string): Word {
  return { value, prefix: value, text, isPattern: true, script: value };
}
