import { homedir } from 'node:os';
import { isNewPath } from '../words/substitutions.ts';
import type { Piece, Word } from '../words/word.ts';

/** What a script puts into its variables, wherever it does: order and branches are not followed. */
export interface Variables {
  /** The values that a name can hold, if the script alone decides and writes them out. */
  values(name: string): readonly string[] | undefined;
  /** Can the name hold nothing but a number, or what the environment had before? Such a name is no code. */
  isTame(name: string): boolean;
  /** Did the script compute it as a number? */
  isNumber(name: string): boolean;
  /** Can the name hold nothing but `$!`, a process that the script itself started? */
  isOwnJob(name: string): boolean;
  /** Is it surely a file's name that no program takes for an option? `new` is one that mktemp made. */
  isFileName(name: string): 'found' | 'new' | undefined;
  /** Wildcards that found the files whose names it holds. */
  globs(name: string): readonly Word[];
  /** Can the name hold nothing but characters that part words, as IFS itself held them? */
  isSeparators(name: string): boolean;
  /** The elements that it was given as an array, each time; nothing if it got any otherwise. */
  arrays(name: string): readonly (readonly Word[])[] | undefined;
  /** Its indices are surely words, not arithmetic. */
  isMap(name: string): boolean;
  /** Is it surely one path that a program such as dirname gave? */
  isPath(name: string): boolean;
  /** Programs of which it can hold nothing but a path: `py=$(command -v python3)`. */
  programs(name: string): readonly string[] | undefined;
  /** May it hold, one after the other, the names of all that is there, as a listing printed them? */
  isListed(name: string): boolean;
  /** Is it given anything at all? */
  has(name: string): boolean;
  /** All that are. */
  names(): readonly string[];
  /** Values that a name was seen to get, though it may get others. */
  seen(name: string): readonly string[];
}

const maxValues = 16;

/** `"$f"` where f is surely the name of a file. */
export function fileNameOf(word: Word, variables: Variables): 'found' | 'new' | undefined {
  const [only, ...more] = word.pieces;
  if (more.length > 0) return undefined;
  if (only?.kind === 'unknown' && only.oneField && isNewPath(only.script)) return 'new';
  return only?.kind === 'variable' && only.quoted ? variables.isFileName(only.name) : undefined;
}

/** Does nothing but the environment say what it is? What the script gives no value came from outside of it. */
export function isFromEnvironment({ pieces }: Pick<Word, 'pieces'>, variables: Variables): boolean {
  // Where the environment says nothing, an option may be left of it: `${x}-rf`.
  const written = pieces.find((piece) => piece.kind === 'literal' && piece.text !== '');
  if (written?.kind === 'literal' && written.text.startsWith('-')) return false;
  return pieces.every(
    (piece) =>
      piece.kind === 'literal' ||
      (piece.kind === 'variable' &&
        /^[A-Za-z]\w*$/.test(piece.name) &&
        (!variables.has(piece.name) || variables.isPath(piece.name))),
  );
}

/** All that a word can stand for, or nothing if that is not known. Bounded. */
export function possibleValues(word: Word, variables: Variables): readonly string[] | undefined {
  if (word.value !== undefined) return [word.value];
  let made: string[] = [''];
  for (const piece of word.pieces) {
    const values = valuesOf(piece, variables);
    if (!values || made.length * values.length > maxValues) return undefined;
    made = made.flatMap((start) => values.map((value) => start + value));
  }
  return made;
}

/**
 * Values that a word could well have, though not all: what is not known counts as empty, or as what it was seen to
 * hold. Good for a suspicion, never for an acquittal.
 */
export function candidateValues(word: Word, variables: Variables): readonly string[] {
  let made: string[] = [''];
  for (const piece of word.pieces) {
    const values = valuesOf(piece, variables) ?? suspected(piece, variables);
    made = made.flatMap((start) => values.map((value) => start + value)).slice(0, maxValues);
  }
  return made;
}

function suspected(piece: Piece, variables: Variables): readonly string[] {
  if (piece.kind === 'unknown') return ['', ...(piece.candidates ?? [])];
  if (piece.kind === 'variable') return ['', ...variables.seen(piece.name)];
  return piece.kind === 'glob' ? [piece.text.replace(/^\[(.).*\]$/s, '$1')] : [''];
}

/** All that a piece can stand for in its word. */
export function valuesOf(piece: Piece, variables: Variables): readonly string[] | undefined {
  if (piece.kind === 'literal') return [piece.text];
  if (piece.kind === 'brace') return bracesOf(piece.text);
  const values = storedIn(piece, variables);
  const quoted = piece.kind === 'variable' ? piece.quoted : piece.kind === 'unknown' && piece.oneField;
  // Unquoted, a value with a space or a wildcard becomes other words.
  const whole = variables.has('IFS') ? /^\w*$/ : /^[\w./=@+-]*$/;
  if (!values || (!quoted && values.some((value) => !whole.test(value)))) return undefined;
  return values;
}

/** What the variable of a piece can hold, before a shell parts it into words. */
export function storedIn(piece: Piece, variables: Variables): readonly string[] | undefined {
  if (piece.kind === 'variable') {
    const { name, isSet } = piece;
    // No command may change what HOME says, and where it is is where a relative path begins.
    if (name === 'HOME' && !variables.has(name)) return [homedir()];
    if (name === 'PWD' && !variables.has(name)) return ['.'];
    const values = variables.values(name);
    return values && (isSet ? values : [...new Set(['', ...values])]);
  }
  if (piece.kind !== 'unknown') return undefined;
  if (piece.listOf !== undefined) return variables.values(piece.listOf);
  if (piece.name === undefined) return undefined;
  const isHome = piece.name === 'HOME' && !variables.has(piece.name);
  const values = isHome
    ? [homedir()]
    : variables.has(piece.name) || piece.otherwise === undefined
      ? variables.values(piece.name)
      : [];
  return (
    values && [
      ...new Set([
        ...values.filter((value) => value !== ''),
        ...(piece.otherwise === undefined ? [] : [piece.otherwise]),
      ]),
    ]
  );
}

function bracesOf(text: string): readonly string[] | undefined {
  const inside = /^\{([\w./=:,-]*,[\w./=:,-]*)\}$/.exec(text)?.[1];
  const values = inside?.split(',');
  return values && values.length <= maxValues ? values : undefined;
}
