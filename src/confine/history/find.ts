import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { Seen } from './seen.ts';

export const finder = ['/usr/bin/find', '/bin/find'].find((path) => existsSync(path));

/** What `tellOf` is given to say of each entry, and `readOutput` reads: fields that end in NUL. */
export const format = '%y\\0%D:%i\\0%s\\0%T@\\0%C@\\0%m\\0%l\\0%p\\0';
const fieldCount = 8;

/** Runs GNU's find and hands over each entry as it is told, the path as find says it, until `take` says no. */
export function runFind(
  program: string,
  args: readonly string[],
  take: (entry: Seen) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { LC_ALL: 'C', TZ: 'UTC' },
    });
    const decoder = new StringDecoder('utf8');
    let left: string[] = [];
    let rest = '';
    let any = false;
    let isEnough = false;
    child.stdout.on('data', (chunk: Buffer) => {
      if (isEnough) return;
      any = true;
      const fields = (rest + decoder.write(chunk)).split('\0');
      rest = fields.pop() ?? '';
      left = left.length === 0 ? fields : left.concat(fields);
      const whole = left.length - (left.length % fieldCount);
      for (let at = 0; at < whole && !isEnough; at += fieldCount) isEnough = !take(entryOf(left, at));
      left = left.slice(whole);
      if (isEnough) child.kill('SIGKILL');
    });
    child.on('error', reject);
    // 1 says that something vanished or may not be read, and the rest was looked at; busybox says it of the options.
    child.on('close', (code) =>
      isEnough || code === 0 || (code === 1 && any)
        ? resolve()
        : reject(new Error(`find ended with ${code}.`)),
    );
  });
}

function entryOf(fields: readonly string[], at: number): Seen {
  const field = (index: number) => fields[at + index] ?? '';
  return {
    kind: kinds[field(0)] ?? 'other',
    inode: field(1),
    bytes: Number(field(2)),
    modified: field(3),
    changed: field(4),
    mode: Number.parseInt(field(5), 8),
    target: field(6),
    path: field(7),
  };
}

const kinds: Readonly<Record<string, Seen['kind']>> = { f: 'file', d: 'folder', l: 'symlink' };
