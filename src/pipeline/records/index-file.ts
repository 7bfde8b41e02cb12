import { fstatSync, fsyncSync, ftruncateSync, writeSync } from 'node:fs';
import * as z from 'zod';
import { readAtNow } from '../../files/io.ts';
import { orElse } from '../../ground/or-else.ts';

const fields = z.object({
  record_id: z.string().regex(/^\d{1,20}$/),
  ts: z.string(),
  path: z.string(),
  mode: z.enum(['overwrite', 'append', 'create']),
  bytes: z.number(),
  sha256: z.string(),
  command: z.string(),
  session: z.string(),
  /** The offset of its bytes in the mirror. */
  offset: z.number(),
  /** Bytes of the file before an append; the mirror does not contain what precedes our records. */
  base_bytes: z.number(),
});

/** A line of `.shelpa/index.jsonl`. The last line has no end while its write is under way. */
export type IndexRecord = Readonly<z.output<typeof fields>>;

/** Notes a record whose write begins now; returns functions that end its line, or take it back. */
export function beginRecord(fd: number, record: IndexRecord) {
  const { size } = fstatSync(fd);
  appendTo(fd, Buffer.from(JSON.stringify(record)));
  return { done: () => appendTo(fd, Buffer.from('\n')), undo: () => ftruncateSync(fd, size) };
}

/** The record whose write a crash interrupted, with the same functions; without a record, only its line was begun. */
export function unfinishedRecord(fd: number) {
  const end = wholeSize(fd);
  const rest = readAtNow(fd, end, fstatSync(fd).size - end);
  if (rest.length === 0) return undefined;
  const done = () => appendTo(fd, Buffer.from('\n'));
  return { record: parseRecord(rest.toString('utf8')), done, undo: () => ftruncateSync(fd, end) };
}

/** Appends bytes to a file and makes them durable. */
export function appendTo(fd: number, bytes: Buffer): void {
  const { size } = fstatSync(fd);
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, size + at);
  fsyncSync(fd);
}

const blockBytes = 64 * 1024;

/** Records from the newest to the oldest, read in blocks: the index may be long. */
export function* recordsBackwards(fd: number): Generator<IndexRecord> {
  let end = wholeSize(fd);
  let rest: Buffer = Buffer.alloc(0);
  while (end > 0) {
    const from = Math.max(0, end - blockBytes);
    const block = Buffer.concat([readAtNow(fd, from, end - from), rest]);
    // The block's first line may begin before it.
    const start = from === 0 ? 0 : block.indexOf(10) + 1;
    for (const line of block.subarray(start).toString('utf8').split('\n').reverse()) {
      const record = parseRecord(line);
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
    const block = Buffer.concat([rest, readAtNow(fd, at, Math.min(blockBytes, size - at))]);
    const end = block.lastIndexOf(10) + 1;
    for (const line of block.subarray(0, end).toString('utf8').split('\n'))
      if (line !== '') yield parseRecord(line);
    rest = block.subarray(end);
  }
  if (rest.length > 0) yield undefined;
}

function parseRecord(line: string): IndexRecord | undefined {
  // A line that a crash tore, or one of another origin.
  return orElse(() => fields.safeParse(JSON.parse(line)).data, undefined);
}

/** The size up to the last line end. */
function wholeSize(fd: number): number {
  const { size } = fstatSync(fd);
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - blockBytes);
    const at = readAtNow(fd, from, end - from).lastIndexOf(10);
    if (at >= 0) return from + at + 1;
    end = from;
  }
  return 0;
}
