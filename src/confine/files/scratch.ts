import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isTemporaryName } from './atomic.ts';
import { mayLive, owner, thisProcess } from './owner.ts';
import { enterFolder, entryOf, leaveFolder, type Root } from './walk.ts';

/** Notes which temporary names are in use, so that what a killed process left behind is removed at the next start. */
export interface Scratch {
  begin(rootHostPath: string, path: string): void;
  end(): void;
  close(): void;
}

/** For a workspace that keeps nothing outside its roots: a kill may leave a hidden file behind. */
export const noScratch: Scratch = { begin() {}, end() {}, close() {} };

const logName = /^writes-[0-9a-f]+\.log$/;
const trimBytes = 64 * 1024;

/**
 * Removes what dead processes left in `roots`, then notes this one's writes in `folder`, from the first on. A note is
 * one short write without a sync: it need only outlive the process.
 */
export function openScratch(folder: string, roots: readonly Root[]): Scratch {
  if (existsSync(folder)) {
    for (const name of readdirSync(folder)) if (logName.test(name)) sweep(join(folder, name), roots);
  }
  let log: Log | undefined;
  let writing = 0;
  return {
    begin(root, file) {
      log ??= openLog(folder);
      writing++;
      log.bytes += writeSync(log.fd, `${JSON.stringify([root, file])}\n`);
    },
    end() {
      writing--;
      if (!log || writing > 0 || log.bytes < trimBytes) return;
      ftruncateSync(log.fd, log.headBytes);
      log.bytes = log.headBytes;
    },
    close() {
      if (!log) return;
      closeSync(log.fd);
      if (writing === 0) unlinkSync(log.path);
    },
  };
}

interface Log {
  readonly path: string;
  readonly fd: number;
  readonly headBytes: number;
  bytes: number;
}

function openLog(folder: string): Log {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `writes-${randomBytes(8).toString('hex')}.log`);
  const fd = openSync(
    path,
    constants.O_CREAT | constants.O_EXCL | constants.O_RDWR | constants.O_APPEND,
    0o600,
  );
  const headBytes = writeSync(fd, `${JSON.stringify(thisProcess())}\n`);
  return { path, fd, headBytes, bytes: headBytes };
}

const note = z.tuple([z.string(), z.string()]);

function sweep(log: string, roots: readonly Root[]): void {
  const [head = '', ...lines] = readFileSync(log, 'utf8').split('\n');
  const found = owner.safeParse(parse(head));
  // A log without a head belongs to a process that has just begun it.
  if (!found.success || mayLive(found.data, log)) return;
  let isDone = true;
  for (const line of lines) {
    const entry = note.safeParse(parse(line));
    if (!entry.success) continue;
    const root = roots.find(({ hostPath }) => hostPath === entry.data[0]);
    if (root) removeLeftover(root, entry.data[1].split('/'));
    else isDone = false;
  }
  if (isDone) unlinkSync(log);
}

/** Only a file or link under a name that a write uses is removed, found by the walk like any other. */
function removeLeftover(root: Root, components: readonly string[]): void {
  const name = components.at(-1);
  if (name === undefined || !isTemporaryName(name) || components.includes('..')) return;
  try {
    const folder = enterFolder(root, components, components.length - 1, 0);
    try {
      const entry = entryOf(folder, name);
      const stat = lstatSync(entry);
      if (stat.isFile() || stat.isSymbolicLink()) unlinkSync(entry);
    } finally {
      leaveFolder(root, folder);
    }
  } catch {
    // It was finished or removed; a folder that is gone took it along.
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
