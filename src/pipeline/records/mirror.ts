import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import type { Folder, Place } from '../../contract/capabilities/files.ts';
import type { WriteMode } from '../../contract/capabilities/pipeline.ts';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import type { Locks } from '../../files/changing/lock.ts';
import { defer } from '../../ground/defer.ts';
import { appendRecord, type IndexRecord, lastRecordId, readAt, recordsBackwards } from './index-file.ts';
import { finishIntent, type Intent } from './intent.ts';
import { withWriting } from './writing.ts';

export interface MirrorOptions {
  /** The workspace without protection of `.shelpa`: only this part writes there. */
  readonly folder: Folder;
  readonly rootIndex: number;
  readonly locks: () => Locks;
  /** Milliseconds since 1970, with fractions. */
  readonly clock?: (() => number) | undefined;
}

export interface MirrorWrite {
  /** The real file, with its own rights. */
  readonly place: Place;
  readonly mode: WriteMode;
  readonly content: Buffer;
  readonly command: string;
  readonly session: string;
  readonly signal: AbortSignal;
}

export interface MirrorWritten {
  readonly recordId: string;
  /** The mirror's path, relative to the root. */
  readonly mirror: string;
  readonly sha256: string;
}

/**
 * The audit mirror of one root. Every write goes to the real file and to `.shelpa/<path>`, both or neither: it is noted
 * before it begins, and the next holder of the lock undoes or completes it after a crash.
 */
export function createMirror(options: MirrorOptions) {
  const { folder, rootIndex, clock = () => performance.timeOrigin + performance.now() } = options;
  const base = folder.roots[rootIndex]?.hostPath ?? '/';
  const at = (path: string): Place => folder.at(path, { base });
  const index = at('.shelpa/index.jsonl');
  const intentPlace = at('.shelpa/.shelpa/intent.json');

  // Calls of this process take turns here, so that the lock waits only for other servers.
  let turn: Promise<unknown> = Promise.resolve();

  function locked<T>(work: (index: number) => Promise<T>): Promise<T> {
    const mine = turn.then(() => holding(work));
    // The requester gets a failure; the next one only waits its turn.
    turn = mine.catch(() => undefined);
    return mine;
  }

  async function holding<T>(work: (index: number) => Promise<T>): Promise<T> {
    await makeEmpty(index);
    const locks = options.locks();
    const reading = index.openRead();
    try {
      await locks.take(reading);
      const fd = openSync(`/proc/self/fd/${reading}`, constants.O_RDWR);
      using _ = defer(() => closeSync(fd));
      await repair(fd);
      return await work(fd);
    } finally {
      locks.release(reading);
      closeSync(reading);
    }
  }

  async function repair(fd: number): Promise<void> {
    if (!intentPlace.exists()) return;
    const intent = readIntent(await intentPlace.readBytes());
    // An incomplete note was written before anything else was touched.
    if (intent) {
      const record = await finishIntent(intent, { real: at(intent.path), mirror: at(intent.mirror) });
      if (record && BigInt(record.recordId) > lastRecordId(fd)) appendRecord(fd, record);
    }
    await intentPlace.remove();
  }

  async function write(request: MirrorWrite): Promise<MirrorWritten> {
    const mirror = mirrorPath(request.place.path);
    return locked(async (fd) => {
      const recordId = nextId(fd);
      const ts = new Date(Number(recordId / 1_000_000n)).toISOString().replace(/\.\d+Z$/, 'Z');
      const before = request.place.exists() ? request.place.stat().bytes : -1;
      if (request.mode === 'create' && before >= 0) {
        throw new ToolError(
          'conflict',
          text(`${request.place.shown} already exists.`, `${request.place.shown} はすでにあります。`),
          {
            suggestion: text(
              'Use mode "overwrite" or "append".',
              'mode を "overwrite" か "append" にしてください。',
            ),
          },
        );
      }
      const mirrorPlace = at(mirror);
      await makeEmpty(mirrorPlace);
      const mirrorBytes = mirrorPlace.stat().bytes;
      const mark =
        request.mode === 'append'
          ? ''
          : `${separatorStart(mirrorPlace, mirrorBytes)}--- shelpa:overwrite ts=${ts} record_id=${recordId} ---\n`;
      const record: IndexRecord = {
        recordId: String(recordId),
        ts,
        path: request.place.path,
        mode: request.mode,
        bytes: request.content.length,
        sha256: createHash('sha256').update(request.content).digest('hex'),
        command: request.command,
        session: request.session,
        offset: mirrorBytes + Buffer.byteLength(mark),
        baseBytes: Math.max(0, before),
      };
      const intent: Intent = { record, path: request.place.path, mirror, mirrorBytes, realBytes: before };
      await intentPlace.replace(JSON.stringify(intent));
      try {
        appendTo(mirrorPlace, Buffer.concat([Buffer.from(mark), request.content]));
        const given = { signal: request.signal };
        if (request.mode === 'append') await request.place.append(request.content, given);
        else if (request.mode === 'create') await request.place.create(request.content, given);
        else await request.place.replace(request.content, given);
      } catch (error) {
        truncate(mirrorPlace, mirrorBytes);
        await intentPlace.remove();
        throw error;
      }
      appendRecord(fd, record);
      await intentPlace.remove();
      return { recordId: record.recordId, mirror, sha256: record.sha256 };
    });
  }

  function nextId(fd: number): bigint {
    const now = BigInt(Math.round(clock() * 1000)) * 1000n;
    const last = lastRecordId(fd);
    return now > last ? now : last + 1n;
  }

  return {
    write,
    /** Records from the newest; stops when the reader does. */
    *history(): Generator<IndexRecord> {
      if (!index.exists()) return;
      const fd = index.openRead();
      using _ = defer(() => closeSync(fd));
      yield* recordsBackwards(fd);
    },
    /** The bytes that a record wrote. */
    readContent(record: IndexRecord): Buffer {
      const fd = at(mirrorPath(record.path)).openRead();
      using _ = defer(() => closeSync(fd));
      return readAt(fd, record.offset, record.bytes);
    },
    /** Reads the index under the lock, after repairs of a crash; undefined without an index. */
    async reading<T>(read: (index: number, at: (path: string) => Place) => T): Promise<T | undefined> {
      return index.exists() ? locked(async (fd) => read(fd, at)) : undefined;
    },
  };
}

export type Mirror = ReturnType<typeof createMirror>;

/** The path of a file's mirror. The index has a fixed name there, so a file of that name is renamed. */
export function mirrorPath(path: string): string {
  return `.shelpa/${/^index\.jsonl~*$/i.test(path) ? `${path}~` : path}`;
}

/** An overwrite's separator begins a line. */
function separatorStart(mirror: Place, bytes: number): string {
  if (bytes === 0) return '';
  const fd = mirror.openRead();
  using _ = defer(() => closeSync(fd));
  return readAt(fd, bytes - 1, 1)[0] === 10 ? '' : '\n';
}

async function makeEmpty(place: Place): Promise<void> {
  if (place.exists()) return;
  try {
    await place.create('');
  } catch (error) {
    // Another server was first.
    if (!(error instanceof ToolError) || error.code !== 'conflict') throw error;
  }
}

function readIntent(bytes: Buffer): Intent | undefined {
  try {
    return JSON.parse(bytes.toString('utf8')) as Intent;
  } catch {
    return undefined;
  }
}

function appendTo(place: Place, bytes: Buffer): void {
  withWriting(place, (fd) => {
    const { size } = fstatSync(fd);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, size + at);
    fsyncSync(fd);
  });
}

function truncate(place: Place, bytes: number): void {
  withWriting(place, (fd) => ftruncateSync(fd, bytes));
}
