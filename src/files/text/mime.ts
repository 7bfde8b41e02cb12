import { readAtNow } from '../io.ts';
import type { OpenFile } from '../reading.ts';
import { encodingOf } from './encoding.ts';

const headBytes = 4096;

/** Detects the MIME type by content, then by name. */
export async function mimeOf(
  file: OpenFile,
  path: string,
): Promise<{ readonly mime: string; readonly isText: boolean }> {
  return mimeOfBytes(readAtNow(file.fd, 0, headBytes), path);
}

/** Detects the type of bytes that are not on disk yet, or are read already. */
export async function mimeOfBytes(
  head: Uint8Array,
  path: string,
): Promise<{ readonly mime: string; readonly isText: boolean }> {
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head);
  if (found) return { mime: found.mime, isText: false };
  const isText = (await encodingOf(head, true)) !== undefined;
  return {
    mime:
      (isText ? textTypes.get(extensionOf(path)) : undefined) ??
      (isText ? 'text/plain' : 'application/octet-stream'),
    isText,
  };
}

function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

const textTypes = new Map([
  ['css', 'text/css'],
  ['csv', 'text/csv'],
  ['html', 'text/html'],
  ['htm', 'text/html'],
  ['js', 'text/javascript'],
  ['json', 'application/json'],
  ['md', 'text/markdown'],
  ['svg', 'image/svg+xml'],
  ['xml', 'application/xml'],
  ['yaml', 'application/yaml'],
  ['yml', 'application/yaml'],
]);
