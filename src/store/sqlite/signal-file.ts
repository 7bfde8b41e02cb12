import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  type FSWatcher,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  watch,
  writeSync,
} from 'node:fs';

/** Carries topics between the processes of one machine. */
export interface SignalFile {
  /** Several in quick succession are sent together. */
  tell(topic: string): void;
  /** Starts listening. Returns whether the system reports changed files here. */
  listen(): boolean;
  rest(): void;
  close(): void;
}

/**
 * A file to which every process appends what it changed, one topic per line, and which waiters watch. It only speeds up
 * wakes: if it cannot be written or watched, it is silent and no error.
 */
export function createSignalFile(
  path: string,
  hears: { readonly onSignal: (topic: string) => void; readonly onLost: () => void },
): SignalFile {
  // Marks our own lines, which are to be skipped.
  const us = randomUUID().slice(0, 8);
  const untold = new Set<string>();
  let telling: NodeJS.Timeout | undefined;
  let lastReportedAtMs = Number.NEGATIVE_INFINITY;
  let descriptor: number | undefined;
  let watcher: FSWatcher | undefined;
  let looking: NodeJS.Timeout | undefined;
  let lastLookAtMs = Number.NEGATIVE_INFINITY;
  let readUpTo = 0;
  let isClosed = false;

  function opened(): number {
    descriptor ??= openSync(path, flags, 0o600);
    return descriptor;
  }

  function send(): void {
    clearTimeout(telling);
    telling = undefined;
    lastReportedAtMs = performance.now();
    const lines = [...untold].map((topic) => `${us} ${topic.replaceAll('\n', ' ')}\n`).join('');
    untold.clear();
    try {
      // A single write in append mode: lines of two processes do not mix.
      writeSync(opened(), lines);
      if (fstatSync(opened()).size > longestBytes) ftruncateSync(opened(), 0);
    } catch {
      // Listeners also poll now and then.
    }
  }

  function hear(): void {
    const dueInMs = lastLookAtMs + hearEveryMs - performance.now();
    if (dueInMs <= 0) look();
    else looking ??= setTimeout(look, dueInMs);
  }

  function look(): void {
    clearTimeout(looking);
    looking = undefined;
    lastLookAtMs = performance.now();
    try {
      const { size } = fstatSync(opened());
      const bytes = size - readUpTo;
      // The file was truncated, or has more than one read takes: some lines are lost.
      const isLost = bytes < 0 || bytes > longestBytes;
      const news = Buffer.allocUnsafe(isLost ? 0 : bytes);
      const end = isLost ? 0 : readSync(opened(), news, 0, bytes, readUpTo);
      readUpTo = isLost ? size : readUpTo + end;
      if (isLost) hears.onLost();
      else announce(news.toString('utf8', 0, end));
    } catch {
      // The content is unknown: listeners read for themselves.
      hears.onLost();
    }
  }

  function announce(news: string): void {
    const topics = new Set<string>();
    for (const line of news.split('\n')) {
      const [who, topic] = [line.slice(0, us.length), line.slice(us.length + 1)];
      if (topic !== '' && who !== us) topics.add(topic);
    }
    for (const topic of topics) hears.onSignal(topic);
  }

  function rest(): void {
    clearTimeout(looking);
    looking = undefined;
    watcher?.close();
    watcher = undefined;
  }

  return {
    tell(topic) {
      if (isClosed) return;
      untold.add(topic);
      const dueInMs = lastReportedAtMs + reportEveryMs - performance.now();
      if (dueInMs <= 0) send();
      else telling ??= setTimeout(send, dueInMs);
    },
    listen() {
      try {
        readUpTo = fstatSync(opened()).size;
        watcher = watch(path, { persistent: false }, hear);
        watcher.on('error', rest);
        return true;
      } catch {
        // No file, or no watcher available: the caller polls instead.
        rest();
        return false;
      }
    },
    rest,
    close() {
      isClosed = true;
      rest();
      if (telling) send();
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
const reportEveryMs = 10;
const hearEveryMs = 10;
const longestBytes = 64 * 1024;
