import type { TextEncoding } from '../../contract/capabilities/files.ts';

/** Finds newlines in the bytes of an encoding. Except in UTF-16, the byte LF is never part of another character. */
export interface NewlineFinder {
  /** The length of a newline in bytes. */
  readonly unitBytes: 1 | 2;
  /** The offset after the next newline from `from` on, or -1. Offsets of UTF-16 are relative to its first unit. */
  after(bytes: Uint8Array, from: number): number;
  /** The offset of the last newline that begins before `before`, or -1. */
  lastBefore(bytes: Uint8Array, before: number): number;
}

export function newlineFinder(encoding: TextEncoding): NewlineFinder {
  return encoding === 'utf-16le' ? wide(0) : encoding === 'utf-16be' ? wide(1) : narrow;
}

const narrow: NewlineFinder = {
  unitBytes: 1,
  after: (bytes, from) => bytes.indexOf(0x0a, from) + 1 || -1,
  lastBefore: (bytes, before) => (before <= 0 ? -1 : bytes.lastIndexOf(0x0a, before - 1)),
};

/** `at`: the position of a unit's low byte. */
function wide(at: 0 | 1): NewlineFinder {
  const isNewline = (bytes: Uint8Array, unit: number) =>
    bytes[unit + at] === 0x0a && bytes[unit + 1 - at] === 0;
  return {
    unitBytes: 2,
    after(bytes, from) {
      for (let found = bytes.indexOf(0x0a, from); found !== -1; found = bytes.indexOf(0x0a, found + 1)) {
        const unit = found - (found % 2);
        if (unit >= from && isNewline(bytes, unit)) return unit + 2;
      }
      return -1;
    },
    lastBefore(bytes, before) {
      for (let found = before - 1; found >= 0; found--) {
        found = bytes.lastIndexOf(0x0a, found);
        if (found === -1) return -1;
        const unit = found - (found % 2);
        if (unit < before && isNewline(bytes, unit)) return unit;
      }
      return -1;
    },
  };
}
