import { isMainThread, parentPort } from 'node:worker_threads';
import type { KeptBytes } from '../../contract/capabilities/landing.ts';
import { blockSignals } from '../child/quiet-thread.ts';
import { openKernel } from '../seccomp/kernel.ts';
import { Answering, againMs } from '../sockets/answering.ts';
import { createCalls } from '../sockets/calls.ts';
import { createWatch } from '../sockets/watch.ts';
import { answer, createAsking, ended, type Left } from './asking.ts';
import { Entrance, type EntranceOptions } from './entrance.ts';
import { createFileCalls } from './file-calls.ts';
import { createGate } from './gate.ts';
import { Keep, type KeepOptions, Unkept } from './keep.ts';
import { createPerforming } from './perform.ts';

/** Answers the calls of one watched command and keeps what they destroy; a thread, since it blocks in the kernel. */

/** Descriptors and settings from the main thread. */
export interface WatchedOptions extends KeepOptions, EntranceOptions {
  /** An epoll with the channel on which the command hands over its filter. */
  readonly watch: number;
  readonly channel: number;
  /** Becomes readable when the thread must end. */
  readonly end: number;
  readonly mask: number;
  /** Host paths that the command may write, if it sees the machine's own files; undefined if it has its own mounts. */
  readonly reach: readonly string[] | undefined;
  /** Does it have the server's own rights? */
  readonly isUnconfined: boolean;
  readonly mostBytes: KeptBytes;
  /** See `asking.ts`. */
  readonly state: Int32Array<SharedArrayBuffer>;
}

/** Returns the paths that it has not judged. */
async function supervise(options: WatchedOptions): Promise<Left> {
  const kernel = await openKernel();
  blockSignals(kernel);
  const watch = createWatch(kernel, options.watch);
  const calls = createCalls(kernel);
  const files = createFileCalls(kernel);
  const keep = new Keep(files, options);
  const ask = createAsking(options.state, (question) => parentPort?.postMessage(question));
  const gate = createGate(keep, options, ask);
  const entrance = new Entrance(files, options, ask);
  // The thread performs calls with no more rights than the command has.
  if (process.getuid?.() === 0 && !options.isUnconfined) files.dropRights();
  const perform = createPerforming({ ...options, calls, files, keep, gate, entrance });
  const answering = new Answering(
    kernel,
    watch,
    perform,
    options.reach !== undefined || options.isUnconfined,
  );
  for (;;) {
    for (const happening of watch.wait(answering.waits || entrance.waits ? againMs : -1)) {
      if (happening.fd === options.end) return { kind: 'left', paths: entrance.left() };
      answering.deal(happening);
    }
    answering.tryAgain();
    try {
      if (Atomics.load(options.state, answer) !== ended) entrance.settle();
    } catch (error) {
      // The command has ended.
      if (!(error instanceof Unkept)) throw error;
    }
    if (answering.isOver) return { kind: 'left', paths: entrance.left() };
  }
}

// The thread serves one command after another: the process once crashed while such a thread ended.
if (isMainThread === false)
  parentPort?.on('message', (options: WatchedOptions) => {
    void supervise(options).then((left) => parentPort?.postMessage(left));
  });
