import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/open-checkpoint.ts';
import { loadSettings } from '../../src/config/load.ts';
import { needs, sandbox } from '../support/needs.ts';
import { startFile } from '../support/run-command.ts';
import { countSleepers } from '../support/sleepers.ts';

const kills = process.env.SEKISHO_HAMMER ? 60 : 6;
const files = 7;

/** A content that shows by itself whether it is whole. */
function contentOf(round: number, step: number): string {
  return `${round}.${step}\n`.repeat(3000);
}

function assertWhole(words: string): void {
  const [first = ''] = words.split('\n', 1);
  expect(words).toBe(`${first}\n`.repeat(3000));
}

/** Serves, writes as fast as it can, and is killed in the middle. Returns what was acknowledged. */
async function writeUntilKilled(
  root: string,
  state: string,
  round: number,
  killAfterMs: number,
): Promise<number[]> {
  const child = spawn(process.execPath, [startFile, 'serve', '--root', root, '--state', state], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => {});
  const acknowledged: number[] = [];
  let step = 0;
  const send = () => {
    step += 1;
    const input = { path: `f${step % files}.txt`, content: contentOf(round, step), overwrite: true };
    const call = {
      jsonrpc: '2.0',
      id: step,
      method: 'tools/call',
      params: { name: 'file_write', arguments: input },
    };
    child.stdin.write(`${JSON.stringify(call)}\n`);
  };
  let timer: NodeJS.Timeout | undefined;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line) as { id: number; result: { isError?: boolean } };
    expect(result.isError ?? false).toBe(false);
    acknowledged.push(id);
    // The clock starts with the first answer, so that the kill falls among writes on a slow machine too.
    timer ??= setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    send();
  });
  for (let slot = 0; slot < 4; slot++) send();
  await new Promise<void>((resolve) => child.once('exit', () => resolve()));
  clearTimeout(timer);
  return acknowledged;
}

test('a server that is killed among writes leaves whole files, an unbroken log, and every acknowledged write in it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-killed-'));
  const root = join(folder, 'root');
  const state = join(folder, 'state');
  mkdirSync(root);
  try {
    let writes = 0;
    for (let round = 1; round <= kills; round++) {
      const acknowledged = await writeUntilKilled(root, state, round, 20 + ((round * 37) % 160));
      writes += acknowledged.length;

      const settings = loadSettings({ root, state }, { HOME: folder }, root);
      const checkpoint = await openCheckpoint(settings);
      try {
        const { audit } = await checkpoint.store();
        const verdict = await audit.verify();
        expect(verdict).toMatchObject({ ok: true });
        if (verdict.ok) expect(verdict.entries).toBeGreaterThanOrEqual(writes);
        // Opening the folder is what clears away what the killed write left.
        await checkpoint.gateway.call({
          tool: 'file_read',
          input: { path: 'f0.txt' },
          arrival: { transport: 'cli' },
          signal: new AbortController().signal,
        });
      } finally {
        await checkpoint.close();
      }
      for (let file = 0; file < files; file++) {
        const path = join(root, `f${file}.txt`);
        if (existsSync(path)) assertWhole(readFileSync(path, 'utf8'));
      }
    }
    expect(writes).toBeGreaterThan(kills);
    expect(readdirSync(root).filter((name) => !/^f\d\.txt$/.test(name))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 600_000);

test('a server that is killed leaves no process of any session', needs(sandbox('bubblewrap')), async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-killed-'));
  const args = ['serve', '--root', folder, '--state', `${folder}-state`, '--profile', 'coding'];
  const child = spawn(process.execPath, [startFile, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    for (const [id, background] of [true, true, false].entries()) {
      const input = { command: 'setsid sleep 876543 & sleep 876543', background };
      const params = { name: 'bash', arguments: input };
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
    }
    await expect.poll(() => countSleepers('876543')).toBe(6);
    child.kill('SIGKILL');
    await expect.poll(() => countSleepers('876543')).toBe(0);
  } finally {
    child.kill('SIGKILL');
    for (const path of [folder, `${folder}-state`]) rmSync(path, { recursive: true, force: true });
  }
});

/** The number in the limit by which a server's processes are found, once it has opened its sandbox. */
const tagOf = (pid: number) =>
  /realtime timeout +(\d+)/.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1];

/** Only a process that has the tag makes another one that has it: once there is none, none comes. */
function countTagged(tag: string, server: number): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        Number(pid) !== server &&
        readFileSync(`/proc/${pid}/limits`, 'utf8').includes(` ${tag} `)
      );
    } catch {
      return false;
    }
  }).length;
}

const instants = Number(process.env.SEKISHO_ROUNDS ?? 6);
const leaving = 'setsid sleep 876544 & sleep 876544';

describe.each([
  ['required', needs(sandbox('bubblewrap', 'landlock'))],
  ['off', {}],
] as const)('with the sandbox %s', (name, options) => {
  test('nothing is left of what had just started when its server was killed', options, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sekisho-killed-'));
    const program = join(folder, 'server.cjs');
    // Like a server that opens a browser: a child in a session of its own.
    const detached = { detached: true, stdio: 'ignore' };
    writeFileSync(
      program,
      `require('node:child_process').spawn('sleep', ['876544'], ${JSON.stringify(detached)}); setInterval(() => {}, 1000);`,
    );
    const config = join(folder, 'sekisho.jsonc');
    const proxied = { command: process.execPath, args: [program], sandbox: 'off' };
    writeFileSync(config, JSON.stringify({ mcpServers: name === 'off' ? { proxied } : {} }));
    const root = join(folder, 'root');
    mkdirSync(root);
    const args = ['serve', '--root', root, '--state', `${folder}/state`, '--profile', 'coding'];
    args.push('--config', config, '--sandbox', name);
    try {
      for (let round = 0; round < instants; round++) {
        const child = spawn(process.execPath, [startFile, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
        const pid = child.pid ?? 0;
        const call = (id: number, command: string, background: boolean) =>
          child.stdin.write(
            `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'bash', arguments: { command, background } } })}\n`,
          );
        const exit = new Promise((resolve) => child.once('exit', resolve));
        const answers = createInterface({ input: child.stdout });
        const answered = new Promise((resolve) => answers.once('line', resolve));
        call(1, 'true', false);
        await answered;
        const tag = tagOf(pid) ?? '';
        expect(Number(tag)).toBeGreaterThan(0);
        call(2, leaving, true);
        call(3, leaving, false);
        // From before the first process to after the last.
        await sleep((round * 60) / instants);
        child.kill('SIGKILL');
        await exit;
        await expect.poll(() => countTagged(tag, pid)).toBe(0);
      }
      expect(countSleepers('876544')).toBe(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
