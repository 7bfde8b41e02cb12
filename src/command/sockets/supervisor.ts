import { closeSync, writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { closeOnExec } from '../../ground/machine/syscalls.ts';
import { makeSocketPair } from '../child/passed-descriptors.ts';
import { quietThread, threadUrl } from '../child/quiet-thread.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import type { SupervisorOptions } from './supervisor-thread.ts';
import { createWatch } from './watch.ts';

/**
 * Makes connections for commands (seccomp user notification): a filter cannot see the peer of a Unix socket, and a
 * socket file in a shared folder leads out of every namespace if an outside program listens at it.
 */
export type Supervisor = ReturnType<typeof openSupervisor>;

/** One thread answers for all sandboxes of the process. */
let shared: { readonly thread: SupervisorThread; users: number } | undefined;

export function openSupervisor(kernel: Kernel) {
  shared ??= { thread: new SupervisorThread(kernel), users: 0 };
  const used = shared;
  used.users += 1;
  return {
    /** The command's end of a socket for handing over its filter; the caller closes it. */
    open: (): number => used.thread.watchChannel(),
    async close() {
      used.users -= 1;
      if (used.users > 0) return;
      if (shared === used) shared = undefined;
      await used.thread.close();
    },
  };
}

class SupervisorThread {
  readonly #kernel: Kernel;
  readonly #watch: ReturnType<typeof createWatch>;
  /** The thread blocks in the kernel, and only this wakes it. */
  readonly #end: number;
  #worker: Worker;
  #starts = 0;
  #isClosing = false;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#watch = createWatch(kernel);
    this.#end = kernel.syscall('eventfd2', 0, closeOnExec);
    if (this.#end < 0) throw new Error('eventfd2 was refused');
    this.#watch.add(this.#end);
    this.#worker = this.#start();
    // A process waits for its threads at exit.
    process.once('exit', this.#stop);
  }

  watchChannel(): number {
    const [ours, theirs] = makeSocketPair(this.#kernel);
    try {
      this.#watch.add(ours);
      return theirs;
    } catch (error) {
      closeSync(ours);
      closeSync(theirs);
      throw error;
    }
  }

  async close(): Promise<void> {
    process.off('exit', this.#stop);
    this.#worker.ref();
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#stop();
    if (this.#worker.threadId !== gone) await ended;
    closeSync(this.#end);
    closeSync(this.#watch.fd);
  }

  #start(): Worker {
    this.#starts += 1;
    const workerData: SupervisorOptions = { watch: this.#watch.fd, end: this.#end };
    const worker = new Worker(threadUrl('supervisor-thread', import.meta.url), { ...quiet, workerData });
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('error', () => {});
    worker.once('exit', () => {
      // Its watched descriptors all exist still, and commands wait for their answers.
      if (!this.#isClosing && this.#starts < maxStarts) this.#worker = this.#start();
    });
    worker.unref();
    return worker;
  }

  readonly #stop = (): void => {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const one = Buffer.alloc(8);
    one.writeBigUInt64LE(1n);
    writeSync(this.#end, one);
  };
}

/** A thread that keeps failing has a persistent cause. */
const maxStarts = 8;
/** A small heap: its objects live for one call. */
const quiet = { ...quietThread, resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 } };
/** The number of a thread that has ended. */
const gone = -1;
