import { closeSync } from 'node:fs';
import { receiveDescriptor } from '../child/passed-descriptors.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import { syscallNumbers } from '../seccomp/syscalls.ts';
import type { Performed } from '../watched/perform.ts';
import { createCalls, type WaitingCall } from './calls.ts';
import { type Attempt, connectFor } from './connect.ts';
import type { Happening, Watch } from './watch.ts';

/** Answers each connect(2) of commands that `watch` tells of. */
export interface Answering {
  deal(happening: Happening): void;
  /** Tries again those that wait for the other side. */
  tryAgain(): void;
  /** Does one wait for the other side? Then it is tried again every `againMs`. */
  readonly waits: boolean;
  /** How many were answered so far. */
  readonly answered: number;
  /** Had commands that were to be watched, and none is left. */
  readonly isOver: boolean;
  /** Gives up its work for another; what it watches stays watched. */
  handOver(): Handover;
}

/** Work that was begun and is to be continued by another. */
export interface Handover {
  /** Commands that said by which descriptor their sockets are told of, and did not hand over their filter yet. */
  readonly begun: readonly (readonly [channel: number, diagnosis: number])[];
  readonly calls: readonly Asked[];
}

interface Asked {
  readonly call: WaitingCall;
  readonly listener: number;
  /** Tells of sockets in the command's network namespace. */
  readonly diagnosis: number;
}

export const againMs = 5;

/** Makes a call on files in the caller's place. */
export type PerformFiles = (call: WaitingCall, isWaiting: () => boolean) => Performed;

/** `files`: of commands that hand over those calls as well; with `isOnlyFiles` those alone. */
export function createAnswering(
  kernel: Kernel,
  watch: Watch,
  left?: Handover,
  files?: PerformFiles,
  isOnlyFiles = false,
): Answering {
  const calls = createCalls(kernel);
  const outside = calls.socket(netlink, raw | closeOnExec, socketDiagnosis);
  const diagnoses = new Map(left?.begun);
  const attempts = new Map<Attempt, Asked>();
  /** Calls that wait for the other end of a pipe. */
  const later = new Map<bigint, Asked>();
  let answered = 0;
  let open = 0;
  let began = false;

  /** First comes what tells of sockets, then what hands over calls. */
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
      // The process ended meanwhile, or the server has too much open: nothing was connected.
    }
    answered += 1;
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

  for (const asked of left?.calls ?? []) answer(asked);

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
        // Nothing is left that the filter holds.
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
    get answered() {
      return answered;
    },
    handOver() {
      const handover = { begun: [...diagnoses], calls: [...attempts.values()] };
      for (const attempt of attempts.keys()) attempt.close();
      attempts.clear();
      closeSync(outside);
      return handover;
    },
  };
}

const connectNumber = syscallNumbers.connect[process.arch === 'x64' ? 0 : 1];
const netlink = 16;
const raw = 3;
const closeOnExec = 0o2000000;
const socketDiagnosis = 4;
const EAGAIN = 11;
const EACCES = 13;
/** Each holds descriptors of the server. */
const maxAttempts = 64;
