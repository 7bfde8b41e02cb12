import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { mayLive, owner, thisProcess } from '../owner.ts';

/**
 * Notes of what this process is about to do, in a file of its own: what a killed process began is found by the next
 * one. A note is one short write without a sync: it need only outlive the process.
 */
export interface UnderWay {
  begin(note: unknown): void;
  /** So many of them are finished, or did not happen. */
  end(count: number): void;
  close(): void;
}

/** What the notes are of; the file is named for it. */
type Kind = 'writes' | 'changes';

/** Begins no file before the first note. */
export function openUnderWay(folder: string, kind: Kind): UnderWay {
  let log: Log | undefined;
  let open = 0;
  return {
    begin(note) {
      log ??= openLog(folder, kind);
      log.bytes += writeSync(log.fd, `${JSON.stringify(note)}\n`);
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

export interface LeftUnderWay {
  /** Foreign by now: parsed, and not checked. A line that was not finished is left out: nothing had followed it. */
  readonly notes: readonly unknown[];
  /** Forgets them, when they are dealt with. */
  done(): void;
}

/** The notes of processes that are dead. */
export function leftUnderWay(folder: string, kind: Kind): readonly LeftUnderWay[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    if (!name.startsWith(`${kind}-`) || !/^[a-z]+-[0-9a-f]+\.log$/.test(name)) return [];
    const path = join(folder, name);
    const [head, ...lines] = linesOf(path);
    const who = owner.safeParse(parse(head ?? ''));
    // A log without a head belongs to a process that has just begun it.
    if (!who.success || mayLive(who.data, path)) return [];
    return [
      {
        notes: lines.map(parse).filter((note) => note !== undefined),
        done: () => rmSync(path, { force: true }),
      },
    ];
  });
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    // Its process has just closed it.
    return [];
  }
}

interface Log {
  readonly path: string;
  readonly fd: number;
  readonly headBytes: number;
  bytes: number;
}

function openLog(folder: string, kind: Kind): Log {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${kind}-${randomBytes(8).toString('hex')}.log`);
  const fd = openSync(path, 'ax', 0o600);
  const headBytes = writeSync(fd, `${JSON.stringify(thisProcess())}\n`);
  return { path, fd, headBytes, bytes: headBytes };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const trimBytes = 64 * 1024;
