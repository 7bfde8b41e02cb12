import { hash } from 'node:crypto';
import { closeSync, constants, ftruncateSync, openSync } from 'node:fs';
import type { Folder, Place } from '../../contract/capabilities/files.ts';
import type { WriteMode } from '../../contract/capabilities/pipeline.ts';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import type { Locks } from '../../files/changing/lock.ts';
import { readAtNow } from '../../files/io.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { appendTo, beginRecord, type IndexRecord, recordsBackwards, unfinishedRecord } from './index-file.ts';

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

/**
 * The audit mirror of one root. Every write goes to the real file and to `.shelpa/<path>`, both or neither: its line of
 * the index begins before it and ends after it, and the next holder of the lock undoes or completes it after a crash.
 */
export class Mirror {
  readonly #options: MirrorOptions;
  readonly #index: Place;
  // Calls of this process take turns here, so that the lock waits only for other servers.
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#index = this.at('.shelpa/index.jsonl');
  }

  at(path: string): Place {
    const { folder, rootIndex } = this.#options;
    return folder.at(path, { base: folder.roots[rootIndex]?.hostPath ?? '/' });
  }

  write(request: MirrorWrite) {
    return this.#locked((index) => this.#write(index, request));
  }

  /** Records from the newest; stops when the reader does. */
  *history(): Generator<IndexRecord> {
    if (!this.#index.exists()) return;
    const fd = this.#index.openRead();
    using _ = defer(() => closeSync(fd));
    yield* recordsBackwards(fd);
  }

  /** The bytes that a record wrote. */
  readContent({ path, offset, bytes }: IndexRecord): Buffer {
    return readFrom(this.at(mirrorPath(path)), offset, bytes);
  }

  /** Reads the index under the lock, after repairs of a crash; undefined without an index. */
  async reading<T>(read: (index: number) => T): Promise<T | undefined> {
    return this.#index.exists() ? this.#locked(async (index) => read(index)) : undefined;
  }

  #locked<T>(work: (index: number) => Promise<T>): Promise<T> {
    const mine = this.#turn.then(() => this.#holding(work));
    // The requester gets a failure; the next one only waits its turn.
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #holding<T>(work: (index: number) => Promise<T>): Promise<T> {
    await makeEmpty(this.#index);
    const locks = this.#options.locks();
    const reading = this.#index.openRead();
    using _reading = defer(() => {
      locks.release(reading);
      closeSync(reading);
    });
    await locks.take(reading);
    const index = openSync(`/proc/self/fd/${reading}`, constants.O_RDWR);
    using _ = defer(() => closeSync(index));
    await this.#repair(index);
    return await work(index);
  }

  async #write(index: number, { place, mode, content, command, session, signal }: MirrorWrite) {
    const exists = place.exists();
    if (mode === 'create' && exists) throw alreadyThere(place);
    const last = recordsBackwards(index).take(1).toArray()[0]?.record_id ?? '0';
    const { clock = () => performance.timeOrigin + performance.now() } = this.#options;
    const now = BigInt(Math.round(clock() * 1000)) * 1000n;
    const id = now > BigInt(last) ? now : BigInt(last) + 1n;
    const ts = new Date(Number(id / 1_000_000n)).toISOString().replace(/\.\d+Z$/, 'Z');
    const mirrorName = mirrorPath(place.path);
    const mirror = this.at(mirrorName);
    await makeEmpty(mirror);
    const mirrorBytes = mirror.stat().bytes;
    const mark =
      mode === 'append'
        ? ''
        : `${separatorStart(mirror, mirrorBytes)}--- shelpa:overwrite ts=${ts} record_id=${id} ---\n`;
    const sha256 = hash('sha256', content);
    const { done, undo } = beginRecord(index, {
      record_id: String(id),
      ts,
      path: place.path,
      mode,
      bytes: content.length,
      sha256,
      command,
      session,
      offset: mirrorBytes + Buffer.byteLength(mark),
      base_bytes: exists ? place.stat().bytes : 0,
    });
    try {
      withWriting(mirror, (fd) => appendTo(fd, Buffer.concat([Buffer.from(mark), content])));
      await place[mode === 'overwrite' ? 'replace' : mode](content, { signal });
    } catch (error) {
      withWriting(mirror, (fd) => ftruncateSync(fd, mirrorBytes));
      undo();
      throw error;
    }
    done();
    return { recordId: String(id), mirror: mirrorName, sha256 };
  }

  /** The real file decides, as it is written last: without the new bytes, the mirror drops them. */
  async #repair(index: number): Promise<void> {
    const unfinished = unfinishedRecord(index);
    if (!unfinished) return;
    const { record, done, undo } = unfinished;
    const mirror = record && this.at(mirrorPath(record.path));
    if (!record || !mirror?.exists()) {
      undo();
      return;
    }
    const isDone = await this.#isDone(record, mirror);
    const former = recordsBackwards(index).find(({ path }) => path === record.path);
    // A torn append left exactly its record's bytes.
    const kept = isDone ? record : former;
    withWriting(mirror, (fd) => ftruncateSync(fd, kept ? kept.offset + kept.bytes : 0));
    if (isDone) done();
    else undo();
  }

  async #isDone({ path, mode, bytes, sha256, offset, base_bytes: base }: IndexRecord, mirror: Place) {
    const real = this.at(path);
    const content = readFrom(mirror, offset, bytes);
    if (hash('sha256', content) !== sha256 || !real.exists()) return false;
    const size = real.stat().bytes;
    if (mode !== 'append') return size === bytes && hash('sha256', readFrom(real, 0, size)) === sha256;
    if (size < base || (size === base && bytes > 0)) return false;
    const grown = readFrom(real, base, bytes);
    if (!content.subarray(0, grown.length).equals(grown)) return false;
    if (grown.length < bytes) await real.append(content.subarray(grown.length));
    return true;
  }
}

/** The path of a file's mirror. The index has a fixed name there, so a file of that name is renamed. */
export function mirrorPath(path: string): string {
  return `.shelpa/${/^index\.jsonl~*$/i.test(path) ? `${path}~` : path}`;
}

export function readFrom(place: Place, position: number, length: number): Buffer {
  const fd = place.openRead();
  using _ = defer(() => closeSync(fd));
  return readAtNow(fd, position, length);
}

/** An overwrite's separator begins a line. */
function separatorStart(mirror: Place, bytes: number): string {
  return bytes === 0 || readFrom(mirror, bytes - 1, 1)[0] === 10 ? '' : '\n';
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

/** Opens for writing exactly the file that the walk proved. */
function withWriting(place: Place, work: (fd: number) => void): void {
  const reading = place.openRead();
  using _reading = defer(() => closeSync(reading));
  const fd = openSync(`/proc/self/fd/${reading}`, constants.O_RDWR);
  using _ = defer(() => closeSync(fd));
  work(fd);
}

function alreadyThere({ shown }: Place): ToolError {
  return new ToolError(
    'conflict',
    `${shown} already exists.`,
    `${shown} はすでにあります。`,
    text('Use mode "overwrite" or "append".', 'mode を "overwrite" か "append" にしてください。'),
  );
}
