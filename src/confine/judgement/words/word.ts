import type { ParsedScript } from 'unbash';

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
  /** What it is put together from; `variables/` fills in what the script itself decides. */
  readonly pieces: readonly Piece[];
  /** A path that find found by its name, below these. */
  readonly below?: readonly Word[];
  /** Words of the standard input, parted by NUL or by blanks. */
  readonly isInput?: 'paths' | 'words';
  /** Where it stands, if it is a constant or the end of one: a script in it is written anew there. */
  readonly at?: Written | undefined;
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

/** A word that came as data: no shell expands anything in it. */
export function literalWord(value: string): Word {
  return constantAt(value, undefined, value);
}

/** The same, where it stands in a script as `text`. */
export function constantAt(value: string, at: Written | undefined, text: string): Word {
  return { value, prefix: value, text, pieces: [{ kind: 'literal', text: value, quoted: true }], at };
}

/** A word that is not known at all and may become any number of arguments. */
export function unknownWord(text: string, prefix = '', oneField = false): Word {
  const pieces: Piece[] = [{ kind: 'unknown', oneField }];
  if (prefix !== '') pieces.unshift({ kind: 'literal', text: prefix, quoted: true });
  return { value: undefined, prefix, text, pieces, at: undefined };
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
    at: word.at,
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
  return { value: known ? prefix : undefined, prefix, text, pieces, at: undefined };
}
