import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { needs, programs } from '../support/needs.ts';
import { startFile } from '../support/run-command.ts';

/* Row: the power goes right after a reply. What a reply promises is what the kernel was asked to sync before it left. */

const tracer = 'strace';
const traced = 'trace=fsync,fdatasync,write,link,rename,mkdir';

/** Runs the calls one after another in a server under strace; returns what it did for each, a line a system call. */
async function trace(calls: readonly object[], refused: readonly number[] = []) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'power-cut-')));
  const root = join(folder, 'root');
  const log = join(folder, 'trace');
  mkdirSync(root);
  writeFileSync(join(root, 'old.txt'), 'old');
  const serve = [process.execPath, startFile, 'serve', '--root', root, '--state', join(folder, 'state')];
  const child = spawn(tracer, ['-f', '-y', '-s', '40', '-e', traced, '-o', log, ...serve], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  try {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (const [id, input] of calls.entries()) {
      const params = { name: 'file_write', arguments: input };
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
      const answer = JSON.parse(String((await answers.next()).value)) as { result: { isError?: boolean } };
      expect(answer.result.isError).toBe(refused.includes(id) ? true : undefined);
    }
    child.stdin.end();
    await ended;
    return splitAtReplies(readFileSync(log, 'utf8').replaceAll(folder, '').split('\n'));
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What was finished before each reply. A call that another thread interrupts in the trace ends where it is resumed. */
function splitAtReplies(lines: readonly string[]): string[][] {
  const begun = new Map<string, string>();
  const replies: string[][] = [[]];
  for (const line of lines) {
    const [thread = '', words = ''] = line.split(/ +(.*)/s);
    if (words.includes('<unfinished ...>')) {
      begun.set(thread, words);
      // A reply counts from where it begins.
      if (words.startsWith('write(1<')) replies.push([]);
    } else if (words.includes(' resumed>')) {
      const whole = begun.get(thread) ?? '';
      if (!whole.startsWith('write(1<')) replies.at(-1)?.push(whole);
    } else if (words.startsWith('write(1<')) replies.push([]);
    else replies.at(-1)?.push(words);
  }
  return replies;
}

test(
  'content, name, record and former content are synced before the reply, content and note before it has its name',
  needs(programs('strace')),
  async () => {
    const [created = [], replaced = []] = await trace([
      { path: 'new.txt', content: 'new' },
      { path: 'old.txt', content: 'newer', overwrite: true },
    ]);
    const content = /^fsync\(\d+<\/root\/\.sekisho-\w+\.tmp>/;
    const note = /^fdatasync\(\d+<\/state\/calls\//;
    const folder = /^fsync\(\d+<\/root>/;
    const record = /^fdatasync\(\d+<\/state\/sekisho\.db-wal>/;
    for (const did of [created, replaced]) {
      const named = at(did, /^(link|rename)\("\/proc\/self\/fd\/\d+\/\.sekisho-/);
      expect(at(did, content)).toBeLessThan(named);
      expect(at(did, note)).toBeLessThan(named);
      expect(at(did, folder)).toBeGreaterThan(named);
      expect(at(did, record)).toBeGreaterThan(named);
    }
    expect(at(replaced, /^fsync\(\d+<\/state\/history\/contents\//)).toBeGreaterThanOrEqual(0);
  },
);

test('a folder is made only when the note is synced', needs(programs('strace')), async () => {
  const [made = []] = await trace([{ path: 'deep/er/new.txt', content: 'new' }]);
  expect(at(made, /^fdatasync\(\d+<\/state\/calls\//)).toBeLessThan(
    made.findIndex((line) => /^mkdir\("\/proc\/self\/fd\//.test(line)),
  );
});

test('a call that comes to change nothing waits for no disk', needs(programs('strace')), async () => {
  const [, refused = []] = await trace(
    [
      { path: 'new.txt', content: 'new' },
      { path: 'new.txt', content: 'again' },
    ],
    [1],
  );
  expect(refused.filter((line) => /sync\(/.test(line))).toEqual([]);
});

/** Where the last of these is; each must be there. */
function at(did: readonly string[], pattern: RegExp): number {
  const found = did.findLastIndex((line) => pattern.test(line));
  expect(found, `${pattern} in\n${did.join('\n')}`).toBeGreaterThanOrEqual(0);
  return found;
}
