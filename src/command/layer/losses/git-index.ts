import { orElse } from '../../../ground/or-else.ts';
import { readBounded } from './read-bounded.ts';

/** An entry of git's index: gitformat-index(5). */
export interface IndexEntry {
  readonly mtimeSeconds: number;
  readonly mtimeNanos: number;
  readonly bytes: number;
  readonly id: string;
}

/** Maps paths (bytes) to entries; empty if there is no readable index. */
export function readIndex(path: string, idBytes: number): ReadonlyMap<string, IndexEntry> {
  const index = readBounded(path, mostBytes);
  if (index?.toString('latin1', 0, 4) !== 'DIRC') return new Map();
  // The index may be cut short or malformed.
  return orElse(() => entriesIn(index, idBytes), new Map());
}

/** Counts the paths in an index. */
export function countIndex(path: string): number {
  const head = readBounded(path, 12, false);
  return head && head.length === 12 && head.toString('latin1', 0, 4) === 'DIRC' ? head.readUInt32BE(8) : 0;
}

function entriesIn(index: Buffer, idBytes: number): ReadonlyMap<string, IndexEntry> {
  const entries = new Map<string, IndexEntry>();
  const version = index.readUInt32BE(4);
  const count = index.readUInt32BE(8);
  let at = 12;
  let path = '';
  for (let each = 0; each < count; each++) {
    const start = at;
    const flags = index.readUInt16BE(start + 40 + idBytes);
    at = start + 42 + idBytes + ((flags & 0x4000) !== 0 ? 2 : 0);
    if (version >= 4) {
      const [cut, after] = offsetAt(index, at);
      const end = index.indexOf(0, after);
      path = path.slice(0, path.length - cut) + index.toString('latin1', after, end);
      at = end + 1;
    } else {
      const end = index.indexOf(0, at);
      path = index.toString('latin1', at, end);
      // Entries are padded with 1 to 8 NUL bytes to a multiple of eight.
      at = start + (Math.floor((end - start) / 8) + 1) * 8;
    }
    entries.set(path, {
      mtimeSeconds: index.readUInt32BE(start + 8),
      mtimeNanos: index.readUInt32BE(start + 12),
      bytes: index.readUInt32BE(start + 36),
      id: index.toString('hex', start + 40, start + 40 + idBytes),
    });
  }
  return entries;
}

/** Decodes a number in git's variable-width encoding, and returns the position after it. */
function offsetAt(index: Buffer, start: number): readonly [number, number] {
  let at = start;
  let byte = index.readUInt8(at++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = index.readUInt8(at++);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return [value, at];
}

const mostBytes = 128 * 1024 * 1024;
