import { analyse } from 'chardet';
import encodingJapanese from 'encoding-japanese';
import { orElse } from '../../ground/or-else.ts';

export interface Decoded {
  readonly text: string;
  /** The name of its encoding, if it was guessed from the bytes. */
  readonly guessed?: string | undefined;
}

/**
 * Decodes a page. Order: byte order mark, header, the page's own declaration, a guess from its bytes. A name counts
 * only if the bytes are valid in it, since headers are often wrong.
 */
export function decodeText(body: Uint8Array, contentType: string, isMarkup: boolean): Decoded {
  const marked = byteOrderMark(body);
  if (marked) return { text: new TextDecoder(marked).decode(body) };

  const header = /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1];
  const said = [header, isMarkup ? declaredInside(body) : undefined, 'utf-8'];
  const fitting = new Map<string, Decoded>();
  for (const [at, candidate] of [...said, ...guesses(body), 'windows-1252'].entries()) {
    const name = encodingName(candidate);
    if (name === undefined || fitting.has(name)) continue;
    const text = decodeStrictly(body, name);
    if (text !== undefined) fitting.set(name, { text, guessed: at < said.length ? undefined : name });
  }
  // Any bytes are valid windows-1252, and many EUC-JP ones are valid Shift_JIS: prefer a stricter encoding to these.
  const [first] = fitting;
  if (!first) return { text: new TextDecoder(encodingName(header) ?? 'utf-8').decode(body) };
  const [name, decoded] = first;
  if (name === 'windows-1252') return [...fitting].find(([other]) => isStrict(other))?.[1] ?? decoded;
  if (name === 'shift_jis' || name === 'euc-jp') return likelierJapanese(name, decoded, body);
  return decoded;
}

function byteOrderMark(body: Uint8Array): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  return undefined;
}

/** The name in a meta tag or an XML declaration, within the part that browsers search. */
function declaredInside(body: Uint8Array): string | undefined {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, 4096)).toString('latin1');
  const found =
    /<meta\b[^>]{0,500}?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head) ??
    /^\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]+)/i.exec(head);
  const name = found?.[1];
  // A page that was readable up to here is not UTF-16, whatever it declares.
  return name !== undefined && /^utf-?16/i.test(name) ? 'utf-8' : name;
}

/** The likely encodings of the bytes, best first. Japanese is recognized by its kana, others by what is common. */
function guesses(body: Uint8Array): readonly string[] {
  const sample = body.subarray(0, guessBytes);
  const found = encodingJapanese.detect(sample, ['JIS', 'EUCJP', 'SJIS']);
  const japanese = typeof found === 'string' ? japaneseNames.get(found) : undefined;
  if (japanese === 'iso-2022-jp') return [japanese];
  const text = japanese && new TextDecoder(japanese).decode(sample);
  const ranked = analyse(sample)
    .filter(({ confidence }) => confidence > 10)
    .map(({ name }) => name as string);
  return japanese && text && hiragana(text) > 0 ? [japanese] : [...ranked, ...(japanese ? [japanese] : [])];
}

const japaneseNames = new Map([
  ['JIS', 'iso-2022-jp'],
  ['EUCJP', 'euc-jp'],
  ['SJIS', 'shift_jis'],
]);
const guessBytes = 64 * 1024;

function encodingName(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  return orElse(() => new TextDecoder(label).encoding, undefined);
}

function decodeStrictly(body: Uint8Array, name: string): string | undefined {
  try {
    // `stream` tolerates a character that the size limit cut in two.
    return new TextDecoder(name, { fatal: true }).decode(body, { stream: true });
  } catch {
    return undefined;
  }
}

function isStrict(name: string): boolean {
  return !/^(?:windows-|iso-8859-|macintosh|koi8|ibm)/.test(name);
}

/** Real Japanese prose is full of hiragana; the wrong one of the two decodings has none. */
function likelierJapanese(name: string, first: Decoded, body: Uint8Array): Decoded {
  if (hiragana(first.text) > 0) return first;
  const guessed = name === 'shift_jis' ? 'euc-jp' : 'shift_jis';
  const text = decodeStrictly(body, guessed);
  return text !== undefined && hiragana(text) > 0 ? { text, guessed } : first;
}

function hiragana(text: string): number {
  return text.slice(0, guessBytes).match(/[ぁ-ん]/g)?.length ?? 0;
}
