import { Buffer } from 'node:buffer';
import { fstatSync, fsyncSync, ftruncateSync, readSync, writeSync } from 'node:fs';
import type { HistoryEntry } from '../../contract/capabilities/pipeline.ts';

/** A line of `.shelpa/index.jsonl`. */
export interface IndexRecord extends HistoryEntry {
  /** The offset of its bytes in the mirror. */
  readonly offset: number;
  /** Bytes of the file before an append; the mirror does not contain what precedes our records. */
  readonly baseBytes: number;
}

/** Appends one line and makes it durable; a torn last line is cut first. */
export function appendRecord(fd: number, record: IndexRecord): void {
  const size = wholeSize(fd);
  if (size !== fstatSync(fd).size) ftruncateSync(fd, size);
  const line = {
    record_id: record.recordId,
    ts: record.ts,
    path: record.path,
    mode: record.mode,
    bytes: record.bytes,
    sha256: record.sha256,
    command: record.command,
    session: record.session,
    offset: record.offset,
    base_bytes: record.baseBytes,
  };
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, size + at);
  fsyncSync(fd);
}

/** The id of the newest record; 0 if there is none. */
export function lastRecordId(fd: number): bigint {
  for (const record of recordsBackwards(fd)) return BigInt(record.recordId);
  return 0n;
}

const blockBytes = 64 * 1024;

/** Records from the newest to the oldest, read in blocks: the index may be long. */
export function* recordsBackwards(fd: number): Generator<IndexRecord> {
  let end = wholeSize(fd);
  let rest: Buffer = Buffer.alloc(0);
  while (end > 0) {
    const from = Math.max(0, end - blockBytes);
    const block = Buffer.concat([readAt(fd, from, end - from), rest]);
    // The block's first line may begin before it.
    const start = from === 0 ? 0 : block.indexOf(10) + 1;
    const lines = block.subarray(start).toString('utf8').split('\n');
    for (let index = lines.length - 1; index >= 0; index--) {
      const record = parseRecord(lines[index] ?? '');
      if (record) yield record;
    }
    rest = start === 0 && from > 0 ? block : block.subarray(0, start);
    end = from;
  }
}

/** Every line, oldest first; undefined for one that is not a record. */
export function* recordsForwards(fd: number): Generator<IndexRecord | undefined> {
  const size = fstatSync(fd).size;
  let rest: Buffer = Buffer.alloc(0);
  for (let at = 0; at < size; at += blockBytes) {
    const block = Buffer.concat([rest, readAt(fd, at, Math.min(blockBytes, size - at))]);
    const end = block.lastIndexOf(10) + 1;
    for (const line of block.subarray(0, end).toString('utf8').split('\n'))
      if (line !== '') yield parseRecord(line);
    rest = block.subarray(end);
  }
  if (rest.length > 0) yield undefined;
}

function parseRecord(line: string): IndexRecord | undefined {
  if (line === '') return undefined;
  try {
    const read: unknown = JSON.parse(line);
    if (typeof read !== 'object' || read === null) return undefined;
    const fields = new Map(Object.entries(read));
    const string = (name: string): string => String(fields.get(name) ?? '');
    const mode = string('mode');
    if (
      !/^\d{1,20}$/.test(string('record_id')) ||
      (mode !== 'overwrite' && mode !== 'append' && mode !== 'create')
    ) {
      return undefined;
    }
    return {
      recordId: string('record_id'),
      ts: string('ts'),
      path: string('path'),
      mode,
      bytes: Number(fields.get('bytes')),
      sha256: string('sha256'),
      command: string('command'),
      session: string('session'),
      offset: Number(fields.get('offset')),
      baseBytes: Number(fields.get('base_bytes')),
    };
  } catch {
    // A line that a crash tore, or one of another origin.
    return undefined;
  }
}

/** The size up to the last line end: a crash tore what follows. */
function wholeSize(fd: number): number {
  const { size } = fstatSync(fd);
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - blockBytes);
    const at = readAt(fd, from, end - from).lastIndexOf(10);
    if (at >= 0) return from + at + 1;
    end = from;
  }
  return 0;
}

export function readAt(fd: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(fd, buffer, filled, length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}
