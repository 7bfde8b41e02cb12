import { closeSync, readlinkSync } from 'node:fs';
import { constants as os } from 'node:os';
import { itself } from '../../files/walk.ts';
import { closeOnExec, syscallNumber } from '../../ground/machine/syscalls.ts';
import { orElse } from '../../ground/or-else.ts';
import { receiveDescriptor } from '../child/passed-descriptors.ts';
import { LayerWatches, watching } from '../inotify/layer-watches.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import type { Performed } from '../watched/perform.ts';
import { type Calls, createCalls, type WaitingCall } from './calls.ts';
import { type Attempt, connectFor } from './connect.ts';
import type { Happening, Watch } from './watch.ts';

interface Asked {
  readonly call: WaitingCall;
  readonly listener: number;
  /** Reports the sockets in the command's network namespace. */
  readonly diagnosis: number;
}

export const againMs = 5;

/** Performs a file call for the caller. */
export type PerformFiles = (call: WaitingCall, isWaiting: () => boolean) => Performed;

/** Descriptors that came on a channel so far. */
interface Received {
  /** Reports the sockets in the command's network namespace. */
  diagnosis?: number;
  readonly folders: number[];
  readonly contexts: number[];
}

/** Answers each connect(2) of commands that `watch` reports, and on a layer the calls of inotify. */
export class Answering {
  readonly #kernel: Kernel;
  readonly #watch: Watch;
  readonly #files: PerformFiles | undefined;
  readonly #isOnlyFiles: boolean;
  readonly #calls: Calls;
  readonly #outside: number;
  readonly #received = new Map<number, Received>();
  /** By the descriptor that hands over the calls. */
  readonly #layers = new Map<number, LayerWatches>();
  readonly #attempts = new Map<Attempt, Asked>();
  /** Calls that wait for the other end of a pipe. */
  readonly #later = new Map<bigint, Asked>();
  #open = 0;
  #began = false;

  /** `files`: also answers file calls; with `isOnlyFiles` only those. */
  constructor(kernel: Kernel, watch: Watch, files?: PerformFiles, isOnlyFiles = false) {
    this.#kernel = kernel;
    this.#watch = watch;
    this.#files = files;
    this.#isOnlyFiles = isOnlyFiles;
    this.#calls = createCalls(kernel);
    this.#outside = this.#calls.socket(netlink, raw | closeOnExec, socketDiagnosis);
  }

  /** Does a call wait for the other side, or an event of inotify? Then it is retried every `againMs`. */
  get waits(): boolean {
    return this.#attempts.size + this.#later.size > 0 || this.#layers.values().some(({ waits }) => waits);
  }

  /** Had commands to watch, and none is left. */
  get isOver(): boolean {
    return this.#began && this.#open === 0;
  }

  deal({ fd, beside, isReadable }: Happening): void {
    if (beside === watching) {
      this.#layers.values().some((layer) => layer.deal(fd, isReadable));
    } else if (beside === undefined) {
      try {
        this.#receive(fd);
      } catch {
        // The command could not be started.
        const { diagnosis, folders = [], contexts = [] } = this.#received.get(fd) ?? {};
        this.#received.delete(fd);
        this.#drop(fd);
        for (const each of [...folders, ...contexts, ...(diagnosis === undefined ? [] : [diagnosis])])
          closeSync(each);
        this.#began = true;
      }
    } else if (isReadable) {
      const call = this.#calls.take(fd);
      if (call) this.#answer({ call, listener: fd, diagnosis: beside });
    } else {
      // No process with the filter is left.
      for (const [attempt, { listener }] of this.#attempts) if (listener === fd) this.#forget(attempt);
      this.#open -= 1;
      this.#layers.get(fd)?.close();
      this.#layers.delete(fd);
      this.#drop(fd);
      if (!this.#isOnlyFiles) closeSync(beside);
    }
  }

  /** Retries the calls that wait for the other side. */
  tryAgain(): void {
    for (const [attempt, { call, listener }] of this.#attempts) {
      const result = this.#calls.isWaiting(listener, call.id) ? attempt.again() : 0;
      if (result === undefined) continue;
      this.#forget(attempt);
      this.#calls.answer(listener, call.id, result);
    }
    for (const asked of [...this.#later.values()]) {
      if (this.#calls.isWaiting(asked.listener, asked.call.id)) this.#answer(asked);
      else this.#later.delete(asked.call.id);
    }
    for (const layer of this.#layers.values()) layer.tryAgain();
  }

  /**
   * On a layer, the folders below and what looks there anew come first. Then comes the descriptor that reports sockets,
   * and last the one that hands over calls.
   */
  #receive(channel: number): void {
    const received = receiveDescriptor(this.#kernel, channel);
    const before: Received = this.#received.get(channel) ?? { folders: [], contexts: [] };
    this.#received.set(channel, before);
    const is = readlinkSync(itself(received));
    if (is.startsWith('/')) before.folders.push(received);
    else if (is === 'anon_inode:[fscontext]') before.contexts.push(received);
    else if (!this.#isOnlyFiles && before.diagnosis === undefined) before.diagnosis = received;
    else this.#begin(channel, received, before);
  }

  #begin(channel: number, listener: number, { diagnosis = listener, folders, contexts }: Received): void {
    this.#received.delete(channel);
    this.#drop(channel);
    this.#watch.add(listener, diagnosis);
    if (contexts.length > 0)
      this.#layers.set(
        listener,
        new LayerWatches(this.#kernel, this.#calls, this.#watch, { folders, contexts }),
      );
    else for (const folder of folders) closeSync(folder);
    this.#began = true;
    this.#open += 1;
  }

  #drop(fd: number): void {
    this.#watch.remove(fd);
    closeSync(fd);
  }

  #forget(attempt: Attempt): void {
    this.#attempts.delete(attempt);
    attempt.close();
  }

  #answer(asked: Asked): void {
    const { call, listener } = asked;
    const layer = this.#layers.get(listener);
    const isWaiting = () => this.#calls.isWaiting(listener, call.id);
    if (call.number === connectNumber) this.#answerConnect(asked);
    else if (this.#files) this.#finish(asked, this.#files(call, isWaiting));
    else this.#finish(asked, layer ? orElse(() => layer.perform(call, isWaiting), gone) : 'let-through');
  }

  #finish(asked: Asked, result: Performed): void {
    const { call, listener } = asked;
    const calls = this.#calls;
    this.#later.delete(call.id);
    if (result === 'later') this.#later.set(call.id, asked);
    else if (result === 'let-through') calls.letThrough(listener, call.id);
    else if (typeof result === 'number') calls.answer(listener, call.id, result);
    else {
      const given = calls.give(listener, call.id, result.descriptor, result.closesOnExec);
      closeSync(result.descriptor);
      if (given < 0) calls.answer(listener, call.id, given);
    }
  }

  #answerConnect(asked: Asked): void {
    const { call, listener, diagnosis } = asked;
    let result: number | Attempt = -os.errno.EACCES;
    try {
      result = connectFor(this.#calls, call, { listener, diagnosis, outside: this.#outside });
    } catch {
      // The process ended, or the server has too many open files: no connection was made.
    }
    if (typeof result !== 'number' && this.#attempts.size < maxAttempts) {
      this.#attempts.set(result, asked);
      return;
    }
    if (typeof result !== 'number') result.close();
    this.#calls.answer(listener, call.id, typeof result === 'number' ? result : -os.errno.EAGAIN);
  }
}

/** The process ended meanwhile. */
const gone = -os.errno.ENOENT;
const connectNumber = syscallNumber('connect');
const netlink = 16;
const raw = 3;
const socketDiagnosis = 4;
/** Each attempt holds descriptors of the server. */
const maxAttempts = 64;
