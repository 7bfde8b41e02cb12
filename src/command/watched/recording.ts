import { closeSync, writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { KeptBytes } from '../../contract/capabilities/landing.ts';
import { closeOnExec } from '../../ground/machine/syscalls.ts';
import { makeSocketPair } from '../child/passed-descriptors.ts';
import { quietThread, threadUrl } from '../child/quiet-thread.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import { createWatch, type Watch } from '../sockets/watch.ts';
import {
  answer,
  anyNumber,
  type EntryQuestion,
  ended,
  type GateQuestion,
  granted,
  type judgedLater,
  type Left,
  moreFiles,
  moreKept,
  type refused,
} from './asking.ts';
import type { EntranceOptions } from './entrance.ts';
import type { KeepOptions } from './keep.ts';
import type { WatchedOptions } from './watched-thread.ts';

/** How much may be lost before the next question; undefined: any number. */
export interface Grant {
  readonly files: number;
  /** Including files that git also has. */
  readonly withKept: number;
}

export interface RecordingOptions extends KeepOptions, EntranceOptions {
  readonly mostBytes: KeptBytes;
  /** Without namespaces: the host paths that it may write; `all`: everything that the server may. */
  readonly reach?: readonly string[] | 'all' | undefined;
  /** The losses that are allowed before the first question. */
  readonly first: Grant | undefined;
  /** Asked before a loss that was not granted. The command is blocked until the answer. */
  readonly mayLose: (question: GateQuestion) => Promise<Grant | undefined>;
  /** Asked before and after content comes to an obeyed path. */
  readonly mayEnter: (question: EntryQuestion) => Promise<Entered>;
  /** Called at the end with the paths that were not asked about. */
  readonly ends: (left: readonly string[]) => Promise<void>;
}

/** An answer: see `asking.ts`. */
export type Entered = typeof granted | typeof refused | typeof judgedLater;

/** Performs the file calls of one command, and keeps the content that they destroy. */
export class Recording {
  readonly #options: RecordingOptions;
  readonly #watch: Watch;
  readonly #end: number;
  readonly #theirs: number;
  readonly #state = new Int32Array(new SharedArrayBuffer(16));
  readonly #worker: Worker;
  readonly #over = Promise.withResolvers<void>();
  /** A thread that gave up its rights cannot get them back. */
  readonly #idle: Worker[];
  #destroy = (): void => {};
  #isEnded = false;

  constructor(kernel: Kernel, options: RecordingOptions) {
    const { folder, roots, ignore, mostBytes, protectedNames, reach } = options;
    this.#options = options;
    this.#watch = createWatch(kernel);
    this.#end = kernel.syscall('eventfd2', 0, closeOnExec);
    const [ours, theirs] = makeSocketPair(kernel);
    this.#theirs = theirs;
    this.#watch.add(ours);
    this.#watch.add(this.#end);
    this.#state[answer] = granted;
    this.#grant(options.first);
    this.#idle = reach === 'all' ? idleWithRights : idleWithout;
    this.#worker = this.#idle.pop() ?? startThread();
    this.#worker.postMessage({
      folder,
      roots,
      ignore,
      mostBytes,
      protectedNames,
      watch: this.#watch.fd,
      channel: ours,
      end: this.#end,
      state: this.#state,
      mask: process.umask(),
      reach: reach === 'all' ? undefined : reach,
      isUnconfined: reach === 'all',
    } satisfies WatchedOptions);
    this.#worker.on('message', this.#take);
    this.#worker.once('exit', this.#fail);
    // A process waits for its threads at exit.
    process.once('exit', this.close);
  }

  /** The command's end of a socket for handing over its filter; the caller closes it. */
  open(): number {
    return this.#theirs;
  }

  /**
   * The started command as one that has ended when all its changes are noted. It is ended if its calls are not answered
   * any more, and what it left is, because that would stay watched.
   */
  follow<C extends { readonly exited: Promise<unknown>; destroy(): void }>(child: C): C {
    this.#destroy = child.destroy;
    const exited = child.exited.finally(async () => {
      child.destroy();
      this.#endCalls();
      await this.#over.promise;
    });
    return { ...child, exited };
  }

  /** Ends the recording if the command did not start. */
  readonly close = (): void => {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const one = Buffer.alloc(8);
    one.writeBigUInt64LE(1n);
    writeSync(this.#end, one);
    this.#endCalls();
  };

  /** Performs no more calls: the command has ended, or waits for an answer that will not come. */
  #endCalls(): void {
    Atomics.store(this.#state, answer, ended);
    Atomics.notify(this.#state, answer);
  }

  #grant(more: Grant | undefined): void {
    Atomics.store(this.#state, moreFiles, more ? Math.min(more.files, anyNumber - 1) : anyNumber);
    Atomics.store(this.#state, moreKept, more ? Math.min(more.withKept, anyNumber - 1) : anyNumber);
  }

  readonly #take = (said: GateQuestion | EntryQuestion | Left): void => {
    // Without an answer, the command stays blocked until it is ended.
    if (said.kind !== 'left') return void this.#hear(said).catch(() => {});
    const settle = () => this.#settle(true);
    this.#options.ends(said.paths).then(settle, settle);
  };

  async #hear(said: GateQuestion | EntryQuestion): Promise<void> {
    let reply: Entered = granted;
    if (said.kind === 'loss') this.#grant(await this.#options.mayLose(said));
    else reply = await this.#options.mayEnter(said);
    if (Atomics.compareExchange(this.#state, answer, 0, reply) === 0) Atomics.notify(this.#state, answer);
  }

  readonly #fail = (): void => {
    this.#destroy();
    this.#settle(false);
  };

  #settle(isThere: boolean): void {
    this.#worker.off('message', this.#take);
    this.#worker.off('exit', this.#fail);
    this.#isEnded = true;
    process.off('exit', this.close);
    closeSync(this.#watch.fd);
    closeSync(this.#end);
    if (isThere) this.#idle.push(this.#worker);
    this.#over.resolve();
  }
}

/** Idle threads wait for the next command: the process once crashed while such a thread ended. */
const idleWithout: Worker[] = [];
const idleWithRights: Worker[] = [];

function startThread(): Worker {
  const worker = new Worker(threadUrl('watched-thread', import.meta.url), quiet);
  worker.on('error', () => {});
  worker.unref();
  return worker;
}

/** The heap contains the notes on each path. */
const quiet = {
  ...quietThread,
  resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 512 },
};
