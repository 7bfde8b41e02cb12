import type { Pair } from './spelled.ts';

/** The forms in which a text may be written in a request. */
export function formsOf(words: string): readonly string[] {
  return [...new Set([...valueEncodings, ...bytewise].map((encode) => encode(words)))];
}

/** The forms that mix its characters, each with the same form of another text of its length. */
export function mixedForms(from: string, to: string): readonly Pair[] {
  return bytewise.map((encode) => ({ from: encode(from), to: encode(to) }));
}

/** The forms in which a body or an address carries a value. */
export const valueEncodings: readonly ((words: string) => string)[] = [
  (words) => words,
  encodeURIComponent,
  (words) => inSmallHex(encodeURIComponent(words)),
  wholly,
  (words) => inSmallHex(wholly(words)),
  (words) => JSON.stringify(words).slice(1, -1),
];

/** Codes the signs that `encodeURIComponent` leaves, as Python's `quote` does. */
function wholly(words: string): string {
  return encodeURIComponent(words).replace(
    /[!'()*~]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function inSmallHex(words: string): string {
  return words.replace(/%[\dA-F]{2}/g, (coded) => coded.toLowerCase());
}

const bytewise: readonly ((words: string) => string)[] = [
  ...[0, 1, 2].flatMap((before) => [
    (words: string) => base64After(before, words),
    (words: string) => base64After(before, words).replaceAll('+', '-').replaceAll('/', '_'),
  ]),
  (words) => Buffer.from(words).toString('hex'),
];

/** The characters of base64 that only the words decide, if `before` bytes stand before them in their group of three. */
function base64After(before: number, words: string): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(words)]);
  return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
}
