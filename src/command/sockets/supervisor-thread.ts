import { workerData } from 'node:worker_threads';
import { blockSignals } from '../child/quiet-thread.ts';
import { openKernel } from '../seccomp/kernel.ts';
import { createFileCalls } from '../watched/file-calls.ts';
import { Answering, againMs } from './answering.ts';
import { createWatch } from './watch.ts';

/** Answers each connect(2) of commands, and their calls of inotify on layers. It blocks in the kernel, so it is a thread. */

/** Descriptors that the main thread opened. */
export interface SupervisorOptions {
  readonly watch: number;
  /** Becomes readable when the thread must end. */
  readonly end: number;
}

async function supervise({ watch: opened, end }: SupervisorOptions): Promise<void> {
  const kernel = await openKernel();
  blockSignals(kernel);
  // The thread performs calls with no more rights than the commands have.
  if (process.getuid?.() === 0) createFileCalls(kernel).dropRights();
  const watch = createWatch(kernel, opened);
  const answering = new Answering(kernel, watch);
  for (;;) {
    for (const happening of watch.wait(answering.waits ? againMs : -1)) {
      if (happening.fd === end) return;
      answering.deal(happening);
    }
    answering.tryAgain();
  }
}

if (workerData !== null) await supervise(workerData as SupervisorOptions);
