import { Buffer } from 'node:buffer';
import { closeSync, writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { KeptBytes } from '../../contract/capabilities/landing.ts';
import { syscallNumber } from '../../ground/syscalls.ts';
import { makeSocketPair } from '../child/passed-descriptors.ts';
import { quietThread } from '../child/quiet-thread.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import { createWatch } from '../sockets/watch.ts';
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
export interface Recording {
  /** The command's end of a socket for handing over its filter; the caller closes it. */
  open(): number;
  /** Resolves when no process of the command is left, and all its changes are noted. */
  readonly over: Promise<void>;
  /** Performs no more calls: the command has ended, or waits for an answer that will not come. */
  endCalls(): void;
  /** Ends the recording if the command did not start. */
  close(): void;
}

/** `onFault`: the command's calls are not answered any more, so it must be ended. */
export function openRecording(
  kernel: Kernel,
  { folder, roots, ignore, mostBytes, protectedNames, reach, ...asked }: RecordingOptions,
  onFault: () => void,
): Recording {
  const { first, mayLose, mayEnter, ends } = asked;
  const watch = createWatch(kernel);
  const end = kernel.syscall(syscallNumber('eventfd2'), 0, closeOnExec);
  const [ours, theirs] = makeSocketPair(kernel);
  watch.add(ours);
  watch.add(end);
  const state = new Int32Array(new SharedArrayBuffer(16));
  state[answer] = granted;
  grant(first);
  const options: WatchedOptions = {
    folder,
    roots,
    ignore,
    mostBytes,
    protectedNames,
    watch: watch.fd,
    channel: ours,
    end,
    state,
    mask: process.umask(),
    reach: reach === 'all' ? undefined : reach,
    isUnconfined: reach === 'all',
  };
  function grant(more: Grant | undefined): void {
    Atomics.store(state, moreFiles, more ? Math.min(more.files, anyNumber - 1) : anyNumber);
    Atomics.store(state, moreKept, more ? Math.min(more.withKept, anyNumber - 1) : anyNumber);
  }
  // A thread that gave up its rights cannot get them back.
  const idle = reach === 'all' ? idleWithRights : idleWithout;
  const worker = idle.pop() ?? startThread();
  worker.postMessage(options);
  let isEnded = false;
  const release = (said: Entered) => {
    if (Atomics.compareExchange(state, answer, 0, said) === 0) Atomics.notify(state, answer);
  };
  const hear = (said: GateQuestion | EntryQuestion) =>
    said.kind === 'loss'
      ? mayLose(said).then((more) => {
          grant(more);
          release(granted);
        })
      : mayEnter(said).then(release);
  const endCalls = () => {
    Atomics.store(state, answer, ended);
    Atomics.notify(state, answer);
  };
  const close = () => {
    if (isEnded) return;
    isEnded = true;
    const one = Buffer.alloc(8);
    one.writeBigUInt64LE(1n);
    writeSync(end, one);
    endCalls();
  };
  // A process waits for its threads at exit.
  process.once('exit', close);
  const over = new Promise<void>((resolve) => {
    const settle = (isThere: boolean) => {
      worker.off('message', take);
      worker.off('exit', fail);
      isEnded = true;
      process.off('exit', close);
      closeSync(watch.fd);
      closeSync(end);
      if (isThere) idle.push(worker);
      resolve();
    };
    const fail = () => {
      onFault();
      settle(false);
    };
    const take = (said: GateQuestion | EntryQuestion | Left) => {
      // Without an answer, the command stays blocked until it is ended.
      if (said.kind !== 'left') return void hear(said).catch(() => {});
      ends(said.paths).then(
        () => settle(true),
        () => settle(true),
      );
    };
    worker.on('message', take);
    worker.once('exit', fail);
  });
  return { open: () => theirs, over, endCalls, close };
}

/** Idle threads wait for the next command: the process once crashed while such a thread ended. */
const idleWithout: Worker[] = [];
const idleWithRights: Worker[] = [];

function startThread(): Worker {
  const worker = new Worker(threadUrl(), quiet);
  worker.on('error', () => {});
  worker.unref();
  return worker;
}

const closeOnExec = 0o2000000;
/** The heap contains the notes on each path. */
const quiet = {
  ...quietThread,
  resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 512 },
};

function threadUrl(): URL {
  return new URL(`./watched-thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
}
