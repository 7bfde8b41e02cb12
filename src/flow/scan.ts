/** Receives the words of a text as hashes, so that the text need not be kept. */
export interface WordListener {
  /** `marked`: it contains a digit, or one of `@ . / : # _ -` inside, as in addresses, ids and file names. */
  word(hash: number, marked: boolean, start: number, end: number, line: number): void;
}

const basis = 0x811c9dc5;
const prime = 0x01000193;

/** A text for comparison: one form for letters that differ in width or case, and no invisible ones. */
export function normal(text: string): string {
  if (!/[^\x00-\x7f]/.test(text)) return text;
  return text
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[^\x00-\x7f]+/g, (letters) => letters.toLowerCase());
}

/** Reads a normalized text once. A word is an ASCII run without spaces, quotes or brackets, or one other letter. */
export function scan(text: string, listener: WordListener, firstLine = 1): number {
  let line = firstLine;
  let place = 0;
  while (place < text.length) {
    const code = text.charCodeAt(place);
    if (code === 10) line++;
    if (code > 127) {
      listener.word(Math.imul(basis ^ code, prime) >>> 0, false, place, place + 1, line);
      place++;
    } else if (classes[code] === apart) place++;
    else place = scanWord(text, place, listener, line);
  }
  return line;
}

function scanWord(text: string, from: number, listener: WordListener, line: number): number {
  let end = from;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code > 127 || classes[code] === apart) break;
    end++;
  }
  let start = from;
  let stop = end;
  // A percent sign begins an encoded character.
  while (start < stop && classes[text.charCodeAt(start)] === edge && text[start] !== '%') start++;
  while (stop > start && classes[text.charCodeAt(stop - 1)] === edge) stop--;
  let hash = basis;
  let marked = false;
  for (let place = start; place < stop; place++) {
    const code = text.charCodeAt(place);
    if (classes[code] !== letter) marked = true;
    hash = Math.imul(hash ^ (code >= 65 && code <= 90 ? code + 32 : code), prime);
  }
  if (stop > start) listener.word(hash >>> 0, marked, start, stop, line);
  return end;
}

/** One key for a sequence of words. */
export function follow(before: number, next: number): number {
  return Math.imul(Math.imul(before, 31) ^ next ^ (before >>> 15), prime) >>> 0;
}

export interface Word {
  readonly hash: number;
  readonly marked: boolean;
  readonly text: string;
}

export function wordsOf(text: string): readonly Word[] {
  const plain = normal(text);
  const words: Word[] = [];
  scan(plain, {
    word: (hash, marked, start, end) => words.push({ hash, marked, text: plain.slice(start, end) }),
  });
  return words;
}

/** A short text as one key, ignoring spaces. */
export function keyOf(words: readonly { readonly hash: number }[]): number {
  return words.slice(1).reduce((key, { hash }) => follow(key, hash), words[0]?.hash ?? 0);
}

const apart = 0;
const letter = 1;
/** Part of a word inside it, but not at its ends. */
const edge = 2;
const digit = 3;

const classes = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z]/.test(character)) return letter;
  if (/[0-9]/.test(character)) return digit;
  // Characters of addresses beside letters; at its end a word drops them, such as the full stop of a sentence.
  return '@._-+/:#%&=?~$!*'.includes(character) ? edge : apart;
});
