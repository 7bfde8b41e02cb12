import { isMainThread, parentPort } from 'node:worker_threads';
import type { KeptBytes } from '../../../contract/capabilities/landing.ts';
import { openKernel } from '../seccomp/kernel.ts';
import { againMs, createAnswering } from '../sockets/answering.ts';
import { createCalls } from '../sockets/calls.ts';
import { createWatch } from '../sockets/watch.ts';
import { answer, createAsking, ended, type Left } from './asking.ts';
import { createEntrance, type EntranceOptions } from './entrance.ts';
import { createFileCalls } from './file-calls.ts';
import { createGate } from './gate.ts';
import { createKeep, type KeepOptions, Unkept } from './keep.ts';
import { createPerforming } from './perform.ts';

/** Answers all that one watched command hands over, and keeps what that destroys. It waits in the kernel, so it is a thread. */

/** What the main thread opened. */
export interface WatchedOptions extends KeepOptions, EntranceOptions {
  /** An epoll that holds the channel by which the command hands over its filter. */
  readonly watch: number;
  readonly channel: number;
  /** Becomes readable when the thread is to end. */
  readonly end: number;
  readonly mask: number;
  /** Host paths that the command may write, where it sees the machine's own files; undefined: where it has its own mounts. */
  readonly reach: readonly string[] | undefined;
  /** Has it the server's own rights? */
  readonly isUnconfined: boolean;
  readonly mostBytes: KeptBytes;
  /** See `asking.ts`. */
  readonly state: Int32Array<SharedArrayBuffer>;
}

/** Returns what it has not judged. */
async function supervise(options: WatchedOptions): Promise<Left> {
  const kernel = await openKernel();
  const watch = createWatch(kernel, options.watch);
  const calls = createCalls(kernel);
  const files = createFileCalls(kernel);
  const keep = createKeep(files, options);
  const ask = createAsking(options.state, (question) => parentPort?.postMessage(question));
  const gate = createGate(keep, options, ask);
  const entrance = createEntrance(files, options, ask);
  // What it does for the command, the command must have a right to.
  if (process.getuid?.() === 0 && !options.isUnconfined) files.dropRights();
  const answering = createAnswering(
    kernel,
    watch,
    undefined,
    createPerforming(
      { calls, files, keep, gate, entrance, reach: options.reach, folder: options.folder },
      options.mask,
    ),
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
      // It ended meanwhile.
      if (!(error instanceof Unkept)) throw error;
    }
    if (answering.isOver) return { kind: 'left', paths: entrance.left() };
  }
}

// The thread serves one command after another: the process has crashed once while such a thread ended.
if (isMainThread === false)
  parentPort?.on('message', (options: WatchedOptions) => {
    void supervise(options).then((left) => parentPort?.postMessage(left));
  });
