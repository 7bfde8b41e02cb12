import type { Buffer } from 'node:buffer';
import { readSync } from 'node:fs';
import { readAtNow } from '../files/io.ts';
import type { Tallier, Tally } from '../files/text/tally.ts';
import { blockBytes } from './note-index.ts';
import type { KeptNote } from './open-note.ts';

/** A smaller file is counted again in a few milliseconds, which is certain. */
const minBytes = 8 * 1024 * 1024;
const sampledBlocks = 16;
const tailBytes = 4096;

/** The end of a file, for recognizing it after it grew. */
export function readTail(fd: number, bytes: number): Buffer {
  const length = Math.min(tailBytes, bytes);
  return readAtNow(fd, bytes - length, length);
}

/**
 * Whether the file still begins with the counted part, like a log that was appended to. The old end must match byte for
 * byte, and blocks picked at random must have the same counts. Only reading every byte would be certain, but an index
 * is to save that. Takes a millisecond.
 */
export function isGrownFrom(tallier: Tallier, known: KeptNote, fd: number, bytes: number): boolean {
  const { index, tail } = known;
  if (index.bytes < minBytes || bytes <= index.bytes) return false;
  if (!readTail(fd, index.bytes).equals(tail)) return false;
  const found: Tally = { newlines: 0, chars: 0, hasNul: false, isAscii: true };
  const block = tallier.chunk(0).subarray(0, blockBytes);
  const whole = Math.floor(index.bytes / blockBytes);
  for (let sample = 0; sample < sampledBlocks; sample += 1) {
    const at = Math.floor(Math.random() * whole);
    if (readSync(fd, block, 0, blockBytes, at * blockBytes) !== blockBytes) return false;
    tallier.tally(0, 0, blockBytes, found);
    if (found.hasNul || found.newlines !== index.newlinesBefore(at + 1) - index.newlinesBefore(at))
      return false;
    if (found.chars !== index.charsBefore(at + 1) - index.charsBefore(at)) return false;
  }
  return true;
}
