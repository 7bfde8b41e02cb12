import { closeSync, readSync, writeSync } from 'node:fs';
import { constants as os } from 'node:os';
import { itself } from '../../files/walk.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import type { Kernel } from '../seccomp/kernel.ts';

/** An instance of inotify of the server, and the pipe from which a program reads its events as if it were its own. */
export class Instance {
  /** Descriptor of the instance. */
  readonly reports: number;
  /** The server's end of the pipe. */
  readonly pipe: number;
  readonly #kernel: Kernel;
  /** The watch below of each watch that the program knows. */
  readonly #below = new Map<number, number | undefined>();
  readonly #above = new Map<number, number>();
  #queue: Buffer[] = [];
  /** Is an event of a change below in the queue, and the kernel has not looked there since? */
  isBehind = false;

  constructor(kernel: Kernel, reports: number, pipe: number) {
    this.#kernel = kernel;
    this.reports = reports;
    this.pipe = pipe;
  }

  get waits(): boolean {
    return this.#queue.length > 0;
  }

  /** Watches an entry by its O_PATH descriptor, and the one below. Returns the watch's number or a negated error. */
  add(place: number, below: number | undefined, mask: number): number {
    if (this.#below.size >= mostWatches) return -os.errno.ENOSPC;
    const watch = this.#watch(place, mask);
    if (watch < 0) return watch;
    const lower = below === undefined ? -1 : this.#watch(below, without(mask, onlyNew));
    const before = this.#below.get(watch);
    if (before !== undefined && before !== lower) this.#forgetBelow(before);
    this.#below.set(watch, lower < 0 ? undefined : lower);
    if (lower >= 0) this.#above.set(lower, watch);
    return watch;
  }

  remove(watch: number): number {
    if (!this.#below.has(watch)) return -os.errno.EINVAL;
    this.#forgetBelow(this.#below.get(watch));
    return this.#unwatch(watch);
  }

  /** Takes what the kernel reports into the queue, each event as the program would read it (struct inotify_event). */
  take(): void {
    if (this.waits) return;
    const read = this.#read();
    for (let at = 0; at < read.length; ) {
      const end = at + 16 + read.readUInt32LE(at + 12);
      const event = Buffer.from(read.subarray(at, end));
      if (this.#translate(event)) this.#queue.push(event);
      at = end;
    }
  }

  /** Sends as much as the pipe takes. */
  send(): void {
    let sent = 0;
    try {
      for (; sent < this.#queue.length; sent++) writeSync(this.pipe, this.#queue[sent] as Buffer);
    } catch (error) {
      // No reader is left, which the watch on the pipe reports as well.
      if (errnoCode(error) !== 'EAGAIN') sent = this.#queue.length;
    }
    this.#queue = this.#queue.slice(sent);
  }

  close(): void {
    closeSync(this.reports);
    closeSync(this.pipe);
  }

  /** Gives an event the number that the program knows; false: it does not learn of it. */
  #translate(event: Buffer): boolean {
    const watch = event.readInt32LE(0);
    const isOver = (event.readUInt32LE(4) & ended) !== 0;
    const known = this.#above.get(watch);
    if (known === undefined) {
      if (watch >= 0 && !this.#below.has(watch)) return false;
      if (isOver) {
        this.#forgetBelow(this.#below.get(watch));
        this.#below.delete(watch);
      }
      return true;
    }
    event.writeInt32LE(known, 0);
    if ((event.readUInt32LE(4) & changes) !== 0) this.isBehind = true;
    if (isOver) {
      this.#above.delete(watch);
      this.#below.delete(known);
      this.#unwatch(known);
    }
    return true;
  }

  #forgetBelow(watch: number | undefined): void {
    if (watch === undefined) return;
    this.#above.delete(watch);
    this.#unwatch(watch);
  }

  #watch(place: number, mask: number): number {
    const { syscall, errno } = this.#kernel;
    // This path leads to the open entry itself, whatever has its name by now.
    const made = syscall('inotify_add_watch', this.reports, Buffer.from(`${itself(place)}\0`), mask);
    return made < 0 ? -errno() : made;
  }

  #unwatch(watch: number): number {
    const { syscall, errno } = this.#kernel;
    return syscall('inotify_rm_watch', this.reports, watch) < 0 ? -errno() : 0;
  }

  #read(): Buffer {
    try {
      return room.subarray(0, readSync(this.reports, room));
    } catch {
      // There is nothing yet.
      return room.subarray(0, 0);
    }
  }
}

function without(mask: number, bits: number): number {
  return (mask & ~bits) >>> 0;
}

const room = Buffer.alloc(65_536);
/** IN_MASK_CREATE */
const onlyNew = 0x10000000;
/** IN_IGNORED */
const ended = 0x8000;
/** IN_MODIFY, IN_CLOSE_WRITE, and all about attributes and names. */
const changes = 0xfce;
/** A limit for each instance, since the thread stores every watch. */
const mostWatches = 65_536;
