import { isUtf8 } from 'node:buffer';
import type { TextEncoding } from '../../contract/files.ts';

/** Which encoding `bytes` (a whole file, or its start) are in; `undefined` for what is not text. */
export function encodingOf(
  bytes: Uint8Array,
): { readonly encoding: TextEncoding; readonly bomBytes: number } | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: 'utf-16le', bomBytes: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: 'utf-16be', bomBytes: 2 };
  if (bytes.includes(0)) return undefined;
  if (isUtf8(bytes)) {
    const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    return { encoding: 'utf-8', bomBytes: hasBom ? 3 : 0 };
  }
  return undefined;
}

/** Could a file that starts so be text? */
export function isTextStart(head: Uint8Array): boolean {
  return encodingOf(head) !== undefined;
}

export function decode(bytes: Uint8Array, encoding: TextEncoding): string {
  return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
}
