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
import type { DatabaseSync } from 'node:sqlite';
import { type Changes, createChanges } from '../changes.ts';

/**
 * Changes of other processes are announced in a file beside the database. Waiters also check the database's own change
 * counter now and then: a file system may not report changes of files, and older versions or other programs do not
 * announce theirs.
 */
export function createSqliteChanges(
  database: DatabaseSync,
  path: string,
): { readonly changes: Changes; close(): void } {
  const signals = new SignalFile(`${path}-signals`, { onSignal: wake, onLost: wakeAll });
  let timer: NodeJS.Timeout | undefined;
  let seen: unknown;

  const changes = createChanges({
    tell: (topic) => signals.tell(topic),
    listen() {
      seen = version();
      const hearsNews = signals.listen();
      timer = setInterval(look, hearsNews ? rareLookMs : lookMs);
    },
    rest() {
      clearInterval(timer);
      signals.rest();
    },
  });

  function wake(topic: string): void {
    changes.wake(topic);
  }
  function wakeAll(): void {
    changes.wakeAll();
  }
  function version(): unknown {
    return database.prepare('pragma data_version').get()?.data_version;
  }
  function look(): void {
    const now = version();
    if (now === seen) return;
    seen = now;
    changes.wakeAll();
  }

  return {
    changes,
    close() {
      clearInterval(timer);
      signals.close();
    },
  };
}

const lookMs = 1000;
const rareLookMs = 5000;

interface Hears {
  readonly onSignal: (topic: string) => void;
  /** Signals may have been missed. */
  readonly onLost: () => void;
}

/**
 * A file to which every process of one machine appends what it changed, one topic per line, and which waiters watch. It
 * only speeds up wakes: if it cannot be written or watched, it is silent and no error.
 */
export class SignalFile {
  readonly #path: string;
  readonly #hears: Hears;
  /** Marks our own lines, which are to be skipped. */
  readonly #us = randomUUID().slice(0, 8);
  readonly #unreported = new Set<string>();
  #reporting: NodeJS.Timeout | undefined;
  #lastReportedAtMs = Number.NEGATIVE_INFINITY;
  #descriptor: number | undefined;
  #watcher: FSWatcher | undefined;
  #looking: NodeJS.Timeout | undefined;
  #lastLookAtMs = Number.NEGATIVE_INFINITY;
  #readUpTo = 0;
  #isClosed = false;

  constructor(path: string, hears: Hears) {
    this.#path = path;
    this.#hears = hears;
  }

  /** Several in quick succession are sent together. */
  tell(topic: string): void {
    if (this.#isClosed) return;
    this.#unreported.add(topic);
    const dueInMs = this.#lastReportedAtMs + reportEveryMs - performance.now();
    if (dueInMs <= 0) this.#send();
    else this.#reporting ??= setTimeout(() => this.#send(), dueInMs);
  }

  /** Starts listening. Returns whether the system reports changed files here. */
  listen(): boolean {
    try {
      this.#readUpTo = fstatSync(this.#opened()).size;
      this.#watcher = watch(this.#path, { persistent: false }, () => this.#hear());
      this.#watcher.on('error', () => this.rest());
      return true;
    } catch {
      // No file, or no watcher available: the caller polls instead.
      this.rest();
      return false;
    }
  }

  rest(): void {
    clearTimeout(this.#looking);
    this.#looking = undefined;
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.rest();
    if (this.#reporting) this.#send();
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #opened(): number {
    this.#descriptor ??= openSync(this.#path, flags, 0o600);
    return this.#descriptor;
  }

  #send(): void {
    clearTimeout(this.#reporting);
    this.#reporting = undefined;
    this.#lastReportedAtMs = performance.now();
    const topics = [...this.#unreported];
    const lines = topics.map((topic) => `${this.#us} ${topic.replaceAll('\n', ' ')}\n`).join('');
    this.#unreported.clear();
    try {
      // A single write in append mode: lines of two processes do not mix.
      writeSync(this.#opened(), lines);
      if (fstatSync(this.#opened()).size > longestBytes) ftruncateSync(this.#opened(), 0);
    } catch {
      // Listeners also poll now and then.
    }
  }

  #hear(): void {
    const dueInMs = this.#lastLookAtMs + hearEveryMs - performance.now();
    if (dueInMs <= 0) this.#look();
    else this.#looking ??= setTimeout(() => this.#look(), dueInMs);
  }

  #look(): void {
    clearTimeout(this.#looking);
    this.#looking = undefined;
    this.#lastLookAtMs = performance.now();
    try {
      const { size } = fstatSync(this.#opened());
      const bytes = size - this.#readUpTo;
      // The file was truncated, or has more than one read takes: some lines are lost.
      const isLost = bytes < 0 || bytes > longestBytes;
      const news = Buffer.allocUnsafe(isLost ? 0 : bytes);
      const end = isLost ? 0 : readSync(this.#opened(), news, 0, bytes, this.#readUpTo);
      this.#readUpTo = isLost ? size : this.#readUpTo + end;
      if (isLost) this.#hears.onLost();
      else this.#announce(news.toString('utf8', 0, end));
    } catch {
      // The content is unknown: listeners read for themselves.
      this.#hears.onLost();
    }
  }

  #announce(news: string): void {
    const [us, start] = [this.#us, this.#us.length + 1];
    const others = news.split('\n').filter((line) => !line.startsWith(us) && line.length > start);
    for (const topic of new Set(others.map((line) => line.slice(start)))) this.#hears.onSignal(topic);
  }
}

const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
const reportEveryMs = 10;
const hearEveryMs = 10;
const longestBytes = 64 * 1024;
