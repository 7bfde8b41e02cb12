import { isMainThread, parentPort } from 'node:worker_threads';
import type { KeptBytes } from '../../../contract/capabilities/landing.ts';
import { openKernel } from '../seccomp/kernel.ts';
import { againMs, createAnswering } from '../sockets/answering.ts';
import { createCalls } from '../sockets/calls.ts';
import { createWatch } from '../sockets/watch.ts';
import { createFileCalls } from './file-calls.ts';
import { createGate } from './gate.ts';
import { createKeep, type KeepOptions } from './keep.ts';
import { createPerforming } from './perform.ts';

/** Answers all that one watched command hands over, and keeps what that destroys. It waits in the kernel, so it is a thread. */

/** What the main thread opened. */
export interface WatchedOptions extends KeepOptions {
  /** An epoll that holds the channel by which the command hands over its filter. */
  readonly watch: number;
  readonly channel: number;
  /** Becomes readable when the thread is to end. */
  readonly end: number;
  readonly mask: number;
  readonly mostBytes: KeptBytes;
  /** See `gate.ts`. */
  readonly state: Int32Array<SharedArrayBuffer>;
}

async function supervise(options: WatchedOptions): Promise<void> {
  const kernel = await openKernel();
  const watch = createWatch(kernel, options.watch);
  const calls = createCalls(kernel);
  const files = createFileCalls(kernel);
  const keep = createKeep(files, options);
  const gate = createGate(keep, options, (question) => parentPort?.postMessage(question));
  // What it does for the command, the command must have a right to.
  if (process.getuid?.() === 0) files.dropRights();
  const answering = createAnswering(
    kernel,
    watch,
    undefined,
    createPerforming({ calls, files, keep, gate }, options.mask),
  );
  for (;;) {
    for (const happening of watch.wait(answering.waits ? againMs : -1)) {
      if (happening.fd === options.end) return;
      answering.deal(happening);
    }
    answering.tryAgain();
    if (answering.isOver) return;
  }
}

// The thread serves one command after another: the process has crashed once while such a thread ended.
if (isMainThread === false)
  parentPort?.on('message', (options: WatchedOptions) => {
    void supervise(options).then(() => parentPort?.postMessage('over'));
  });
