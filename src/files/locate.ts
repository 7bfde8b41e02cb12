import { readAtNow } from './io.ts';
import type { FoundEncoding } from './text/encoding.ts';
import { blockBytes, type LineIndex } from './text/line-index.ts';
import { newlineFinder } from './text/newlines.ts';

/** The byte where a line begins, by an index: reads one block. */
export function locateLine(fd: number, index: LineIndex, found: FoundEncoding, line: number): number {
  if (line === 1) return found.bomBytes;
  const finder = newlineFinder(found.encoding);
  const block = index.blockOfNewline(line - 1);
  const start = block * blockBytes;
  const bytes = readAtNow(fd, start, blockBytes);
  let at = 0;
  for (let left = line - 1 - index.newlinesBefore(block); left > 0; left--) {
    at = finder.after(bytes, at);
    if (at === -1) throw Object.assign(new Error('Fewer lines than counted.'), { code: 'ESTALE' });
  }
  return start + at;
}

/** How far to search back from the end; beyond that, counting all lines is better. */
const maxBackBytes = 64 * blockBytes;

/** The byte where the last `lines` lines begin, searched backward from the end; undefined if that is too far. */
export function locateFromEnd(
  fd: number,
  fileBytes: number,
  found: FoundEncoding,
  lines: number,
): number | undefined {
  const finder = newlineFinder(found.encoding);
  let end = fileBytes;
  // A newline at the very end begins no line.
  let left = lines + 1;
  let isLast = true;
  while (end > found.bomBytes) {
    const start = Math.max(0, (Math.ceil(end / blockBytes) - 1) * blockBytes);
    const bytes = readAtNow(fd, start, end - start);
    if (isLast && finder.lastBefore(bytes, bytes.length) !== bytes.length - finder.unitBytes) left--;
    isLast = false;
    for (let at = finder.lastBefore(bytes, bytes.length); at !== -1; at = finder.lastBefore(bytes, at)) {
      left--;
      if (left === 0) return start + at + finder.unitBytes;
    }
    end = start;
    if (fileBytes - end > maxBackBytes) return undefined;
  }
  return found.bomBytes;
}
