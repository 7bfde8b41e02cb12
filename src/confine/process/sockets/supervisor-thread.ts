import { closeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { receiveDescriptor } from '../child/passed-descriptors.ts';
import { type Kernel, openKernel } from '../seccomp/kernel.ts';
import { createCalls } from './calls.ts';
import { type Attempt, connectFor } from './connect.ts';
import { createWatch, type Watch } from './watch.ts';

/** Answers each connect(2) of commands. It waits in the kernel, so it has a thread of its own. */

/** What the main thread opened. */
export interface SupervisorOptions {
  readonly watch: number;
  /** Becomes readable when the thread is to end. */
  readonly end: number;
}

function supervise(kernel: Kernel, watch: Watch, end: number): void {
  const calls = createCalls(kernel);
  const outside = calls.socket(netlink, raw | closeOnExec, socketDiagnosis);
  const diagnoses = new Map<number, number>();
  const attempts = new Map<Attempt, number>();

  /** First comes what tells of sockets, then what hands over calls. */
  function receive(channel: number): void {
    const received = receiveDescriptor(kernel, channel);
    const diagnosis = diagnoses.get(channel);
    if (diagnosis === undefined) {
      diagnoses.set(channel, received);
      return;
    }
    diagnoses.delete(channel);
    drop(channel);
    watch.add(received, diagnosis);
  }

  function drop(...fds: readonly number[]): void {
    for (const fd of fds) {
      watch.remove(fd);
      closeSync(fd);
    }
  }

  function answerNext(listener: number, diagnosis: number): void {
    const call = calls.take(listener);
    if (!call) return;
    let result: number | Attempt = -EACCES;
    try {
      result = connectFor(calls, call, { listener, diagnosis, outside });
    } catch {
      // The process ended meanwhile, or the server has too much open: nothing was connected.
    }
    if (typeof result !== 'number' && attempts.size < maxAttempts) {
      attempts.set(result, listener);
      return;
    }
    if (typeof result !== 'number') result.close();
    calls.answer(listener, call.id, typeof result === 'number' ? result : -EAGAIN);
  }

  /** Those that wait for the other side. */
  function tryAgain(): void {
    for (const [attempt, listener] of attempts) {
      const { id } = attempt.call;
      const result = calls.isWaiting(listener, id) ? attempt.again() : 0;
      if (result === undefined) continue;
      attempts.delete(attempt);
      attempt.close();
      calls.answer(listener, id, result);
    }
  }

  function forget(listener: number): void {
    for (const [attempt, of] of attempts) {
      if (of !== listener) continue;
      attempts.delete(attempt);
      attempt.close();
    }
  }

  for (;;) {
    for (const { fd, beside, isReadable } of watch.wait(attempts.size > 0 ? againMs : -1)) {
      if (fd === end) return;
      if (beside === undefined) {
        try {
          receive(fd);
        } catch {
          // The command could not be started.
          const diagnosis = diagnoses.get(fd);
          diagnoses.delete(fd);
          drop(fd);
          if (diagnosis !== undefined) closeSync(diagnosis);
        }
      } else if (isReadable) answerNext(fd, beside);
      else {
        // Nothing is left that the filter holds.
        forget(fd);
        drop(fd);
        closeSync(beside);
      }
    }
    tryAgain();
  }
}

const netlink = 16;
const raw = 3;
const closeOnExec = 0o2000000;
const socketDiagnosis = 4;
const EAGAIN = 11;
const EACCES = 13;
/** Each holds descriptors of the server. */
const maxAttempts = 64;
const againMs = 5;

if (workerData !== null) {
  const { watch, end } = workerData as SupervisorOptions;
  const kernel = await openKernel();
  supervise(kernel, createWatch(kernel, watch), end);
}
