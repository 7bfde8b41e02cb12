import { Buffer } from 'node:buffer';
import { closeSync, writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { KeptBytes } from '../../../contract/capabilities/landing.ts';
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

/** How much may be lost in all before the next question; undefined: any number. */
export interface Grant {
  readonly files: number;
  /** Of those, and of such as git keeps. */
  readonly withKept: number;
}

export interface RecordingOptions extends KeepOptions, EntranceOptions {
  readonly mostBytes: KeptBytes;
  /** Where no namespaces hold it: host paths that it may write; `all`: what the server may. */
  readonly reach?: readonly string[] | 'all' | undefined;
  /** What it may lose before anything is asked. */
  readonly first: Grant | undefined;
  /** Asked before a loss that was not granted. The command is held until then. */
  readonly mayLose: (question: GateQuestion) => Promise<Grant | undefined>;
  /** Asked before something comes to a path that is obeyed, and after. */
  readonly mayEnter: (question: EntryQuestion) => Promise<Entered>;
  /** Told what nobody was asked about when it ended. */
  readonly ends: (left: readonly string[]) => Promise<void>;
}

/** An answer: see `asking.ts`. */
export type Entered = typeof granted | typeof refused | typeof judgedLater;

/** What does the work of one command on files, and keeps what that destroys. */
export interface Recording {
  /** The command's end of a socket by which it hands over its filter; the caller closes it. */
  open(): number;
  /** Resolves when nothing of the command is left, and all that it did is noted. */
  readonly over: Promise<void>;
  /** Nothing more is done for the command, which has ended, or waits for an answer that it does not get. */
  endCalls(): void;
  /** Ends it where the command did not start. */
  close(): void;
}

/** `onFault`: nothing answers the command any more, so it has to be ended. */
export function openRecording(
  kernel: Kernel,
  { folder, roots, ignore, mostBytes, protectedNames, reach, ...asked }: RecordingOptions,
  onFault: () => void,
): Recording {
  const { first, mayLose, mayEnter, ends } = asked;
  const watch = createWatch(kernel);
  const end = kernel.syscall(process.arch === 'x64' ? 290 : 19, 0, closeOnExec);
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
  // A thread that gave up its rights does not get them back.
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
  // A process that ends waits for its threads.
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
      // Without an answer, the command stays held until it is ended.
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

/** Threads without a command. They wait for the next one: the process has crashed once while such a thread ended. */
const idleWithout: Worker[] = [];
const idleWithRights: Worker[] = [];

function startThread(): Worker {
  const worker = new Worker(threadUrl(), quiet);
  worker.on('error', () => {});
  worker.unref();
  return worker;
}

const closeOnExec = 0o2000000;
/** Its heap holds what it has noted of each path. */
const quiet = {
  ...quietThread,
  resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 512 },
};

function threadUrl(): URL {
  return new URL(`./watched-thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
}
