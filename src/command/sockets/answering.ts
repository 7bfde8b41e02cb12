import { closeSync } from 'node:fs';
import { syscallNumber } from '../../ground/syscalls.ts';
import { receiveDescriptor } from '../child/passed-descriptors.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import type { Performed } from '../watched/perform.ts';
import { createCalls, type WaitingCall } from './calls.ts';
import { type Attempt, connectFor } from './connect.ts';
import type { Happening, Watch } from './watch.ts';

/** Answers each connect(2) of commands that `watch` reports. */
export interface Answering {
  deal(happening: Happening): void;
  /** Retries the calls that wait for the other side. */
  tryAgain(): void;
  /** Does a call wait for the other side? Then it is retried every `againMs`. */
  readonly waits: boolean;
  /** Had commands to watch, and none is left. */
  readonly isOver: boolean;
}

interface Asked {
  readonly call: WaitingCall;
  readonly listener: number;
  /** Reports the sockets in the command's network namespace. */
  readonly diagnosis: number;
}

export const againMs = 5;

/** Performs a file call for the caller. */
export type PerformFiles = (call: WaitingCall, isWaiting: () => boolean) => Performed;

/** `files`: also answers file calls; with `isOnlyFiles` only those. */
export function createAnswering(
  kernel: Kernel,
  watch: Watch,
  files?: PerformFiles,
  isOnlyFiles = false,
): Answering {
  const calls = createCalls(kernel);
  const outside = calls.socket(netlink, raw | closeOnExec, socketDiagnosis);
  const diagnoses = new Map<number, number>();
  const attempts = new Map<Attempt, Asked>();
  /** Calls that wait for the other end of a pipe. */
  const later = new Map<bigint, Asked>();
  let open = 0;
  let began = false;

  /** The first descriptor reports sockets, the second hands over calls. */
  function receive(channel: number): void {
    const received = receiveDescriptor(kernel, channel);
    const diagnosis = isOnlyFiles ? received : diagnoses.get(channel);
    if (diagnosis === undefined) {
      diagnoses.set(channel, received);
      return;
    }
    diagnoses.delete(channel);
    drop(channel);
    watch.add(received, diagnosis);
    began = true;
    open += 1;
  }

  function drop(...fds: readonly number[]): void {
    for (const fd of fds) {
      watch.remove(fd);
      closeSync(fd);
    }
  }

  function answer(asked: Asked): void {
    if (files && asked.call.number !== connectNumber) answerFile(asked, files);
    else answerConnect(asked);
  }

  function answerFile(asked: Asked, perform: PerformFiles): void {
    const { call, listener } = asked;
    const result = perform(call, () => calls.isWaiting(listener, call.id));
    later.delete(call.id);
    if (result === 'later') later.set(call.id, asked);
    else if (result === 'let-through') calls.letThrough(listener, call.id);
    else if (typeof result === 'number') calls.answer(listener, call.id, result);
    else {
      const given = calls.give(listener, call.id, result.descriptor, result.closesOnExec);
      closeSync(result.descriptor);
      if (given < 0) calls.answer(listener, call.id, given);
    }
  }

  function answerConnect(asked: Asked): void {
    const { call, listener, diagnosis } = asked;
    let result: number | Attempt = -EACCES;
    try {
      result = connectFor(calls, call, { listener, diagnosis, outside });
    } catch {
      // The process ended, or the server has too many open files: no connection was made.
    }
    if (typeof result !== 'number' && attempts.size < maxAttempts) {
      attempts.set(result, asked);
      return;
    }
    if (typeof result !== 'number') result.close();
    calls.answer(listener, call.id, typeof result === 'number' ? result : -EAGAIN);
  }

  function forget(listener: number): void {
    for (const [attempt, of] of attempts) {
      if (of.listener !== listener) continue;
      attempts.delete(attempt);
      attempt.close();
    }
  }

  return {
    deal({ fd, beside, isReadable }) {
      if (beside === undefined) {
        try {
          receive(fd);
        } catch {
          // The command could not be started.
          const diagnosis = diagnoses.get(fd);
          diagnoses.delete(fd);
          drop(fd);
          if (diagnosis !== undefined) closeSync(diagnosis);
          began = true;
        }
      } else if (isReadable) {
        const call = calls.take(fd);
        if (call) answer({ call, listener: fd, diagnosis: beside });
      } else {
        // No process with the filter is left.
        forget(fd);
        open -= 1;
        drop(fd);
        if (!isOnlyFiles) closeSync(beside);
      }
    },
    tryAgain() {
      for (const [attempt, { call, listener }] of attempts) {
        const result = calls.isWaiting(listener, call.id) ? attempt.again() : 0;
        if (result === undefined) continue;
        attempts.delete(attempt);
        attempt.close();
        calls.answer(listener, call.id, result);
      }
      for (const asked of [...later.values()]) {
        if (calls.isWaiting(asked.listener, asked.call.id)) answer(asked);
        else later.delete(asked.call.id);
      }
    },
    get waits() {
      return attempts.size + later.size > 0;
    },
    get isOver() {
      return began && open === 0;
    },
  };
}

const connectNumber = syscallNumber('connect');
const netlink = 16;
const raw = 3;
const closeOnExec = 0o2000000;
const socketDiagnosis = 4;
const EAGAIN = 11;
const EACCES = 13;
/** Each attempt holds descriptors of the server. */
const maxAttempts = 64;
