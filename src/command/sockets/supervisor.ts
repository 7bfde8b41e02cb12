import { Buffer } from 'node:buffer';
import { closeSync, writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { syscallNumber } from '../../ground/syscalls.ts';
import { makeSocketPair } from '../child/passed-descriptors.ts';
import { quietThread } from '../child/quiet-thread.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import { againMs, createAnswering, type Handover } from './answering.ts';
import { openPoller, type Poller } from './poller.ts';
import type { SupervisorOptions } from './supervisor-thread.ts';
import { createWatch, type Watch } from './watch.ts';

/**
 * Makes connections for commands (seccomp user notification): a filter cannot see the peer of a Unix socket, and a
 * socket file in a shared folder leads out of every namespace if an outside program listens at it.
 */
export interface Supervisor {
  /** The command's end of a socket for handing over its filter; the caller closes it. */
  open(): number;
  close(): Promise<void>;
}

/** The main thread answers the first calls. After more of them a thread takes over, since it takes time to start. */
export async function openSupervisor(kernel: Kernel): Promise<Supervisor> {
  const watch = createWatch(kernel);
  let thread: Thread | undefined;
  let poller: Poller | undefined;
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;
  const answering = createAnswering(kernel, watch);

  function startThread(): void {
    if (thread || isClosed) return;
    clearTimeout(retry);
    poller?.close();
    thread = openThread(kernel, watch, answering.handOver());
  }

  function onReady(): void {
    if (thread || isClosed) return;
    try {
      for (const happening of watch.wait(0)) {
        if (answering.answered >= answeredHere) break;
        answering.deal(happening);
      }
      tryAgain();
    } catch {
      // After any error here, the thread answers the waiting calls.
      startThread();
      return;
    }
    if (answering.answered >= answeredHere) startThread();
    else poller?.rearm();
  }

  function tryAgain(): void {
    answering.tryAgain();
    clearTimeout(retry);
    if (answering.waits) retry = setTimeout(tryAgain, againMs);
  }

  try {
    poller = await openPoller(kernel, watch, { onReady, gone: startThread });
  } catch {
    // Without a poller the main thread would not notice a connection.
    startThread();
  }

  return {
    open() {
      const [ours, theirs] = makeSocketPair(kernel);
      try {
        watch.add(ours);
      } catch (error) {
        closeSync(ours);
        closeSync(theirs);
        throw error;
      }
      return theirs;
    },
    async close() {
      isClosed = true;
      clearTimeout(retry);
      poller?.close();
      if (thread) await thread.close();
      else answering.handOver();
      closeSync(watch.fd);
    },
  };
}

/** Each answer blocks the main thread for a fraction of a millisecond. */
const answeredHere = 32;

interface Thread {
  close(): Promise<void>;
}

function openThread(kernel: Kernel, watch: Watch, left: Handover): Thread {
  const end = openEvent(kernel);
  watch.add(end);
  let isClosing = false;
  let starts = 0;
  let worker = start(left);
  worker.unref();

  function start(left?: Handover): Worker {
    starts += 1;
    const workerData: SupervisorOptions = { watch: watch.fd, end, left };
    const thread = new Worker(threadUrl(), { ...quiet, workerData });
    thread.stdout.resume();
    thread.stderr.resume();
    thread.on('error', () => {});
    thread.once('exit', () => {
      // Its watched descriptors all exist still, and commands wait for their answers.
      if (isClosing || starts >= maxStarts) return;
      worker = start();
      worker.unref();
    });
    return thread;
  }

  /** The thread blocks in the kernel, and only this wakes it; a process waits for its threads at exit. */
  const stop = () => {
    if (isClosing) return;
    isClosing = true;
    const one = Buffer.alloc(8);
    one.writeBigUInt64LE(1n);
    writeSync(end, one);
  };
  process.once('exit', stop);

  return {
    async close() {
      process.off('exit', stop);
      worker.ref();
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      stop();
      if (worker.threadId !== gone) await ended;
      closeSync(end);
    },
  };
}

function openEvent({ syscall }: Kernel): number {
  const fd = syscall(syscallNumber('eventfd2'), 0, closeOnExec);
  if (fd < 0) throw new Error('eventfd2 was refused');
  return fd;
}

const closeOnExec = 0o2000000;
/** A thread that keeps failing has a persistent cause. */
const maxStarts = 8;
/** A small heap: its objects live for one call. */
const quiet = {
  ...quietThread,
  resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 },
};
/** The number of a thread that has ended. */
const gone = -1;

function threadUrl(): URL {
  return new URL(`./supervisor-thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
}
