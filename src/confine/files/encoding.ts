import { Buffer, isUtf8 } from 'node:buffer';
import type { TextEncoding } from '../../contract/files.ts';

/** What a text is written in. */
export interface FoundEncoding {
  readonly encoding: TextEncoding;
  readonly bomBytes: number;
}

/**
 * Which encoding a file's bytes are in, or those of its start (`isCut`); `undefined` for what is not text. UTF-8 and
 * UTF-16 prove themselves; a Japanese encoding must be valid throughout and read like Japanese.
 */
export function encodingOf(bytes: Uint8Array, isCut = false): FoundEncoding | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: 'utf-16le', bomBytes: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: 'utf-16be', bomBytes: 2 };
  if (bytes.includes(0) || looksBinary(bytes)) return undefined;
  if (isUtf8(isCut ? bytes.subarray(0, wholeUtf8(bytes)) : bytes)) {
    const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    return { encoding: 'utf-8', bomBytes: hasBom ? 3 : 0 };
  }
  const euc = likeness(bytes, 'euc-jp', isCut);
  const sjis = likeness(bytes, 'shift_jis', isCut);
  if (Math.max(euc, sjis) < confident) return undefined;
  // Most EUC-JP is valid Shift_JIS too, as half-width katakana; the reverse is rare.
  return { encoding: sjis > euc ? 'shift_jis' : 'euc-jp', bomBytes: 0 };
}

/** Decodes bytes without their byte order mark. Throws `TypeError` for what the encoding does not allow. */
export function decode(bytes: Uint8Array, encoding: TextEncoding): string {
  if (encoding !== 'utf-8') return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  if (bytes.includes(0) || !isUtf8(bytes)) throw new TypeError('not UTF-8 text');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** How many bytes of a cut UTF-8 text make whole characters, as far as its last bytes tell. */
export function wholeUtf8(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0)
      return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Formats that may begin without a NUL or a byte that text cannot have. */
function looksBinary(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x25 && bytes[0] !== 0x21) return false;
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(8, bytes.length)).toString('latin1');
  return start.startsWith('%PDF-') || start === '!<arch>\n';
}

const confident = 0.6;
const sampleBytes = 64 * 1024;

/**
 * From 0 to 1: how much the text reads like Japanese in this encoding. Other 8-bit text that happens to be valid
 * decodes to lone ideographs between Latin letters; Japanese comes in runs, with kana or common kanji.
 */
function likeness(bytes: Uint8Array, encoding: TextEncoding, isCut: boolean): number {
  let decoded: string;
  try {
    const decoder = new TextDecoder(encoding, { fatal: true });
    const sample = bytes.subarray(0, sampleBytes);
    decoded = decoder.decode(sample, { stream: isCut || sample.length < bytes.length });
  } catch {
    return 0;
  }
  let foreign = 0;
  let inRuns = 0;
  let fitting = 0;
  for (const [run] of decoded.matchAll(/[^\0-\x7f]+/g)) {
    foreign += run.length;
    if (run.length > 1) inRuns += run.length;
    fitting += run.match(japanese)?.length ?? 0;
    fitting += 0.5 * (run.match(halfWidth)?.length ?? 0);
  }
  return foreign === 0 ? 0 : (Math.min(inRuns, fitting) / foreign) * (0.5 + 0.5 * (fitting / foreign));
}

// Kana, full-width forms and punctuation, and kanji; `halfWidth` is what wrongly read EUC-JP turns into.
const japanese = /[\u3000-\u30ff\uff01-\uff5e\u4e00-\u9fff]/g;
const halfWidth = /[\uff61-\uff9f]/g;
