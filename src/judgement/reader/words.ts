import type { Assignment, DoubleQuotedChild, Word as SyntaxWord, WordPart } from 'unbash';
import { literalWord, type Word } from '../words/word.ts';
import type { Names } from './names.ts';

/** A part of a word that is known only when it runs: the value of a variable, or the output of a command. */
interface Hole {
  readonly name?: string | undefined;
  /** The default for an empty or missing value: `${name:-otherwise}`. */
  readonly otherwise?: string | undefined;
  readonly isQuoted: boolean;
}

type Piece = string | Hole;

/** Does every shell read the text as itself? Most words are of this kind. */
export function isPlainText(text: string): boolean {
  return /^[\w./:@%,+=-]+$/.test(text);
}

/** Expands a word of the syntax with the values of its variables. Nearly always the result is one word. */
export function readWord(node: SyntaxWord, names: Names): readonly Word[] {
  const { text } = node;
  if (isPlainText(text)) return [literalWord(text)];
  if (/^(?:'[^']*'|"[^"$`\\]*")$/.test(text)) return [literalWord(text.slice(1, -1), text)];
  const { parts } = node;
  if (!parts) {
    if (isUnparsed(node)) return [openOf([{ isQuoted: false }], text)];
    return [text.startsWith('~') ? patternWord(node.value, text) : literalWord(node.value, text)];
  }
  const pieces: Piece[] = [];
  for (const part of parts) addPieces(part, false, pieces);
  const isPattern = text.startsWith('~') || parts.some(({ type }) => /Glob$|^BraceExpansion$/.test(type));
  const [only, ...more] = pieces;
  const value = typeof only === 'object' && more.length === 0 ? fillingOf(only, names) : undefined;
  // An unquoted value is split at blanks.
  if (typeof only === 'object' && !only.isQuoted && value !== undefined)
    return (value.match(/[^ \t\n]+/g) ?? []).map((one) => written(one, text));
  const filled = pieces.map((piece) =>
    typeof piece === 'string' ? piece : (fillingOf(piece, names) ?? piece),
  );
  if (filled.some((piece) => typeof piece !== 'string')) return [openOf(filled, text)];
  return [isPattern ? patternWord(filled.join(''), text) : literalWord(filled.join(''), text)];
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
  const value = node.value.type === 'Word' && !node.index ? readWord(node.value, names)[0] : undefined;
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
  if (/^[@*]$/.test(parameter)) return { name: parameter, isQuoted };
  if (index || (operation && operation.type !== 'Default')) return { isQuoted };
  const otherwise =
    operation?.type === 'Default' && /[-=]/.test(operation.operator)
      ? constantOf(operation.operand)
      : undefined;
  if (operation && otherwise === undefined) return { isQuoted };
  return { name: parameter, otherwise, isQuoted };
}

/** The value of a hole; undefined if it is not known. */
function fillingOf({ name, otherwise }: Hole, names: Names): string | undefined {
  if (name === undefined) return undefined;
  if (otherwise !== undefined && !names.has(name)) return otherwise;
  const value = names.valueOf(name);
  return value === '' ? (otherwise ?? value) : value;
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
