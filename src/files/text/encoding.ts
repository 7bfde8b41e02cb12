import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { TextEncoding } from '../../contract/capabilities/files.ts';
import { wholeLength } from '../../ground/text/utf8-ends.ts';
import { deferred } from '../../ground/waiting/defer.ts';
import { japaneseEncodingOf } from './japanese.ts';

export interface FoundEncoding {
  readonly encoding: TextEncoding;
  readonly bomBytes: number;
  /** It may also be another encoding. */
  readonly isGuess?: boolean | undefined;
}

/**
 * Detects the encoding of a file's bytes, or of its first bytes (`isCut`); undefined if it is not text. UTF-8 and
 * UTF-16 are recognized by their form; a Japanese encoding must read like Japanese. All others must be `named`.
 */
export async function encodingOf(
  bytes: Uint8Array,
  isCut = false,
  named?: TextEncoding,
): Promise<FoundEncoding | undefined> {
  if (looksBinary(bytes)) return undefined;
  const unicode = unicodeOf(bytes, isCut);
  if (unicode || bytes.includes(0)) return unicode;
  if (named !== undefined) return { encoding: named, bomBytes: 0 };
  const japanese = await japaneseEncodingOf(bytes, isCut);
  return japanese && { ...japanese, bomBytes: 0 };
}

/** Detects the encoding of a host file; a link is not followed. Text in an unknown encoding counts as `otherwise`. */
export async function encodingOfFile(
  hostPath: string,
  otherwise: TextEncoding,
): Promise<FoundEncoding | undefined> {
  // The file is gone or not readable, so it has no text.
  const head = await readHead(hostPath).catch(() => undefined);
  if (!head) return undefined;
  return (await encodingOf(head.bytes, head.isCut)) ?? encodingOf(head.bytes, head.isCut, otherwise);
}

async function readHead(hostPath: string) {
  const file = await open(hostPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  await using _ = deferred(() => file.close());
  const { bytesRead, buffer } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return { bytes: buffer.subarray(0, bytesRead), isCut: bytesRead === headBytes };
}

/** The first bytes, from which the encoding is detected. */
export const headBytes = 64 * 1024;

/** The encoding if the bytes prove it, otherwise undefined. */
function unicodeOf(bytes: Uint8Array, isCut: boolean): FoundEncoding | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: 'utf-16le', bomBytes: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: 'utf-16be', bomBytes: 2 };
  if (bytes.includes(0) || !isUtf8(isCut ? bytes.subarray(0, wholeLength(bytes)) : bytes)) return undefined;
  const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return { encoding: 'utf-8', bomBytes: hasBom ? 3 : 0 };
}

/** Decodes bytes without their byte order mark. Throws `TypeError` for bytes that the encoding does not allow. */
export function decode(bytes: Uint8Array, encoding: TextEncoding): string {
  if (encoding !== 'utf-8') {
    const decoded = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
    if (decoded.includes('\0')) throw new TypeError('not text');
    return decoded;
  }
  if (bytes.includes(0) || !isUtf8(bytes)) throw new TypeError('not UTF-8 text');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** Recognizes binary formats that may begin without a NUL or another byte that text cannot have. */
function looksBinary(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x25 && bytes[0] !== 0x21) return false;
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(8, bytes.length)).toString('latin1');
  return start.startsWith('%PDF-') || start === '!<arch>\n';
}
