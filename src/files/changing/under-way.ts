import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fdatasync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import type { LeftUnderWay, UnderWay } from '../../contract/records.ts';
import { jsonOf, orElse } from '../../ground/or-else.ts';

/** The subject of the notes; the file is named after it. */
type Kind = 'writes' | 'changes' | 'calls';

/**
 * Keeps notes in a file of this process, where the next process finds them. Creates the file at the first note. Notes
 * are written into preallocated room, which makes a sync cheap, and end in a NUL that the next note overwrites: nothing
 * after it is read.
 */
export function openUnderWay(folder: string, kind: Kind): UnderWay {
  let log: Log | undefined;
  let open = 0;
  return {
    begin(...notes) {
      log ??= openLog(folder, kind);
      writeNotes(log, notes);
      open += notes.length;
    },
    end(count) {
      open -= count;
      if (!log || open > 0 || log.at === log.headBytes) return;
      log.at = log.headBytes;
      writeSync(log.fd, '\0', log.at);
    },
    bytes: () => (log ? log.at - log.headBytes : 0),
    async restart(notes) {
      const former = log;
      const next = openLog(folder, kind);
      try {
        writeNotes(next, notes);
      } catch (error) {
        closeLog(next);
        throw error;
      }
      log = next;
      open = notes.length;
      await syncFile(next.fd);
      if (former) closeLog(former);
    },
    sync: async () => log && syncFile(log.fd),
    close() {
      if (!log) return;
      if (open === 0) closeLog(log);
      else closeSync(log.fd);
    },
  };
}

/** The notes of dead processes. */
export function leftUnderWay(folder: string, kind: Kind): readonly LeftUnderWay[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    if (!name.startsWith(`${kind}-`) || !/^[a-z]+-[0-9a-f]+\.log$/.test(name)) return [];
    const path = join(folder, name);
    const [head, ...lines] = linesOf(path);
    const who = owner.safeParse(jsonOf(head ?? ''));
    // A process has just begun a log without a head.
    if (!who.success || mayLive(who.data, path)) return [];
    return [
      {
        notes: lines.map(jsonOf).filter((note) => note !== undefined),
        done: () => rmSync(path, { force: true }),
      },
    ];
  });
}

/** None if its process has just closed it. */
function linesOf(path: string): readonly string[] {
  return orElse(() => (readFileSync(path, 'utf8').split('\0', 1)[0] ?? '').split('\n'), []);
}

/** Bytes that this user can still write on a folder's disk. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

interface Log {
  readonly path: string;
  readonly fd: number;
  readonly headBytes: number;
  /** The position of the next note. */
  at: number;
}

function openLog(folder: string, kind: Kind): Log {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${kind}-${randomBytes(8).toString('hex')}.log`);
  const fd = openSync(path, 'wx', 0o600);
  try {
    const headBytes = writeSync(fd, `${JSON.stringify(thisProcess())}\n`);
    writeSync(fd, Buffer.alloc(roomBytes), 0, roomBytes, headBytes);
    return { path, fd, headBytes, at: headBytes };
  } catch (error) {
    closeSync(fd);
    unlinkSync(path);
    throw error;
  }
}

/** Writes them whole or not at all: a full disk may have taken a part. */
function writeNotes(log: Log, notes: readonly unknown[]): void {
  const lines = Buffer.from(`${notes.map((note) => `${JSON.stringify(note)}\n`).join('')}\0`);
  try {
    for (let done = 0; done < lines.length; ) {
      done += writeSync(log.fd, lines, done, lines.length - done, log.at + done);
    }
  } catch (error) {
    // This byte exists already, so it needs no room.
    writeSync(log.fd, '\0', log.at);
    throw error;
  }
  log.at += lines.length - 1;
}

function closeLog({ fd, path }: Log): void {
  closeSync(fd);
  unlinkSync(path);
}

const roomBytes = 64 * 1024;
const syncFile = promisify(fdatasync);

export const owner = z.object({
  pid: z.number(),
  started: z.string(),
  boot: z.string(),
  namespace: z.string(),
});

type Owner = z.output<typeof owner>;

/** Identifies this process among all others, including later ones with the same pid. */
export function thisProcess(): Owner {
  return {
    pid: process.pid,
    started: startOf(process.pid) ?? '',
    boot: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    namespace: readlinkSync('/proc/self/ns/pid'),
  };
}

/** Whether the process of this log may still be alive. If that cannot be seen: for an hour after its last note. */
export function mayLive(one: Owner, log: string): boolean {
  const self = thisProcess();
  if (one.boot !== self.boot) return false;
  if (one.namespace === self.namespace) return startOf(one.pid) === one.started;
  // Processes of other containers are invisible; no write lasts an hour.
  return Date.now() - statSync(log).mtimeMs < 60 * 60 * 1000;
}

/** The start time of a process, in clock ticks since boot: with the pid, it identifies it. */
function startOf(pid: number): string | undefined {
  // The name in parentheses may contain anything; fields are counted after it.
  const fieldsOf = (stat: string) => stat.split(') ').at(-1)?.split(' ');
  return fieldsOf(orElse(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), ''))?.[19];
}
