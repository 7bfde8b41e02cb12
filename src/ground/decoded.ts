import { gunzipSync } from 'node:zlib';
import { orElse } from './or-else.ts';

const minEncodedChars = 12;
const maxEncodedChars = 1 << 16;
const maxUnpackedBytes = 1 << 16;

/** What a word encodes in base64, base32, hex or percent encoding, even gzipped; undefined unless ASCII text. */
export function decoded(word: string): string | undefined {
  if (word.length < 6 || word.length > maxEncodedChars) return undefined;
  if (word.includes('%')) return readable(Buffer.from(orElse(() => decodeURIComponent(word), '')), word);
  if (word.length < minEncodedChars) return undefined;
  if (/^(?:[0-9a-f]{2})+$/i.test(word)) return readable(Buffer.from(word, 'hex'), word);
  const from = (start: string) => Buffer.from(start, 'base64');
  const inSixtyFour = /^[A-Za-z0-9+/_-]+={0,2}$/.test(word) ? decodedBy(from, word) : undefined;
  return inSixtyFour ?? (/^(?:[a-z2-7]+|[A-Z2-7]+)=*$/.test(word) ? decodedBy(base32, word) : undefined);
}

/** Most words encode nothing, as their first bytes show. */
function decodedBy(decode: (word: string) => Buffer, word: string): string | undefined {
  const first = decode(word.slice(0, firstChars));
  return isPacked(first) || isPlain.test(first.toString('latin1')) ? readable(decode(word), word) : undefined;
}

/** A whole number of bytes in both base64 and base32. */
const firstChars = 32;

function base32(word: string): Buffer {
  const bytes: number[] = [];
  let held = 0;
  let count = 0;
  for (const letter of word.toLowerCase().replace(/=+$/, '')) {
    held = ((held << 5) | 'abcdefghijklmnopqrstuvwxyz234567'.indexOf(letter)) & 0xfff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes.push((held >> count) & 0xff);
  }
  return Buffer.from(bytes);
}

/** Any bytes decode to something; only printable ASCII of five characters or more counts. */
function readable(bytes: Buffer, word: string): string | undefined {
  const text = unpacked(bytes).toString('utf8');
  return text !== word && text.length >= 5 && isPlain.test(text) ? text : undefined;
}

const isPlain = /^[\t\n\r\x20-\x7e]+$/;

function unpacked(bytes: Buffer): Buffer {
  if (!isPacked(bytes)) return bytes;
  // It only begins like gzip, or is a bomb.
  return orElse(() => gunzipSync(bytes, { maxOutputLength: maxUnpackedBytes }), bytes);
}

function isPacked(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
