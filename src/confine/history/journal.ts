import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { NewHistoryEntry } from '../../contract/history.ts';
import { mayLive, owner, thisProcess } from '../files/owner.ts';

/**
 * Changes that are about to happen and are not in the store yet. A note is one short write without a sync: it
 * outlives a process that is killed, and what a power cut takes was not acknowledged.
 */
export interface Journal {
  begin(entry: NewHistoryEntry): void;
  /** So many of them are in the store now, or did not happen. */
  end(count: number): void;
  close(): void;
}

export function openJournal(folder: string): Journal {
  let log:
    | { readonly path: string; readonly fd: number; readonly headBytes: number; bytes: number }
    | undefined;
  let open = 0;

  function start() {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `changes-${randomBytes(8).toString('hex')}.log`);
    const fd = openSync(path, 'ax', 0o600);
    const headBytes = writeSync(fd, `${JSON.stringify(thisProcess())}\n`);
    return { path, fd, headBytes, bytes: headBytes };
  }

  return {
    begin(entry) {
      log ??= start();
      log.bytes += writeSync(log.fd, `${JSON.stringify(entry)}\n`);
      open += 1;
    },
    end(count) {
      open -= count;
      if (!log || open > 0 || log.bytes < trimBytes) return;
      ftruncateSync(log.fd, log.headBytes);
      log.bytes = log.headBytes;
    },
    close() {
      if (!log) return;
      closeSync(log.fd);
      if (open === 0) unlinkSync(log.path);
    },
  };
}

/** What killed processes left behind, oldest first, and what to call when it is dealt with. */
export function leftBehind(folder: string): { readonly entries: readonly NewHistoryEntry[]; done(): void }[] {
  if (!existsSync(folder)) return [];
  const found = [];
  for (const name of readdirSync(folder)) {
    if (!logName.test(name)) continue;
    const path = join(folder, name);
    let words: string;
    try {
      words = readFileSync(path, 'utf8');
    } catch {
      // Its process has just closed it.
      continue;
    }
    const [head = '', ...lines] = words.split('\n');
    const who = owner.safeParse(parse(head));
    if (!who.success || mayLive(who.data, path)) continue;
    // A line that was not finished was written before anything was changed.
    const entries = lines.flatMap((line) => (parse(line) as NewHistoryEntry | undefined) ?? []);
    found.push({
      entries,
      done() {
        if (existsSync(path)) unlinkSync(path);
      },
    });
  }
  return found;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const logName = /^changes-[0-9a-f]+\.log$/;
const trimBytes = 64 * 1024;
