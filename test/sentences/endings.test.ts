import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { errorOf, openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';

/* Sentences about calls and processes that have ended, each in a case in which it is true and in one in which it must not stand. */

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

const sekisho = join(import.meta.dirname, '../../dist/sekisho.js');
const many = Array.from({ length: 30 }, (_, n) => `${n}.csv`);

describe('of what ended', needs(lackOfLayers), () => {
  let world: World;
  let coding: World;
  beforeAll(async () => {
    world = await openTestCheckpoint();
    coding = await openTestCheckpoint({ flags: { profile: 'coding' } });
  });
  afterAll(async () => {
    await world.close();
    await coding.close();
  });

  test('a command that nobody began is said to have ended or never begun, one that is there is not', async () => {
    const words = 'It ended with its session, or was never started; run it again.';
    const run = (command: string) => world.call('shell_exec', { command });
    expect(errorOf(await run('wait p99'))).toMatchObject({ code: 'not_found', suggestion: words });
    expect(errorOf(await run('kill p99'))).toMatchObject({ code: 'not_found', suggestion: words });
    expect(outputOf(await run('echo there'))).toMatchObject({ stdout: 'there\n', stderr: '' });
  });

  test('input for a program that ends by it is written, but it has ended; for one that goes on, it is written', async () => {
    const start = async () =>
      outputOf(await coding.call('bash', { command: 'cat > cat.txt', background: true })).process_id;
    const write = async (id: unknown, text: string) =>
      JSON.stringify(await coding.call('bash_input', { process_id: id, text }));
    const id = await start();
    const going = await write(id, 'one\n');
    expect(going).toContain('Written.');
    expect(going).not.toContain('has ended');
    await expect.poll(() => readFileSync(join(coding.root, 'cat.txt'), 'utf8')).toBe('one\n');
    expect(await write(id, '\u0003')).toContain('Written, but it has ended.');
    expect(outputOf(await coding.call('bash_output', { process_id: id })).running).toBe(false);
  });

  test('a cancelled call that was about to write says that it was not changed, and it is not', async () => {
    writeFileSync(join(coding.root, 'a.txt'), 'as it was\n');
    const write = (signal: AbortSignal, path: string) =>
      coding.call('write_file', { path, content: 'x\n'.repeat(2_000_000) }, { signal });
    const cancelled = JSON.stringify(await write(AbortSignal.abort(), 'a.txt'));
    expect(cancelled).toContain('cancelled');
    expect(readFileSync(join(coding.root, 'a.txt'), 'utf8')).toBe('as it was\n');
    const { folder } = await coding.checkpoint.rooms.workspace();
    const place = folder.at('a.txt');
    await expect(place.replace('x', { signal: AbortSignal.abort() })).rejects.toThrow(
      'The call was cancelled; a.txt was not changed.',
    );
    expect(readFileSync(join(coding.root, 'a.txt'), 'utf8')).toBe('as it was\n');
    expect(JSON.stringify(await write(new AbortController().signal, 'b.txt'))).not.toContain(
      'was not changed',
    );
    expect(existsSync(join(coding.root, 'b.txt'))).toBe(true);
  });

  test.each([
    ['full-access', 'its changes are in place now', []],
    [
      'workspace-write',
      'none of its changes were kept: it deletes or overwrites all that was there: 30 files',
      many,
    ],
  ] as const)(
    'of a command whose server was killed the next one tells in mode %s that %s',
    async (mode, came, there) => {
      const base = mkdtempSync(join(tmpdir(), 'sekisho-killed-'));
      const [root, state] = [join(base, 'root'), join(base, 'state')];
      mkdirSync(root);
      for (const name of many) writeFileSync(join(root, name), `${name} of somebody`);
      const args = [sekisho, 'serve', '--alone', '--profile', 'coding', '--root', root, '--state', state];
      const killed = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'ignore'] });
      const send = (id: number, method: string, params: object) =>
        killed.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      const clientInfo = { name: 'killed', version: '1' };
      send(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
      send(2, 'tools/call', { name: 'bash', arguments: { command: 'rm *' } });
      const ended = () => globSync(join(state, 'layers/layer-*/ended.json')).length;
      await expect.poll(ended).toBe(1);
      killed.kill('SIGKILL');
      await once(killed, 'exit');
      const next = async () => {
        const faults: string[] = [];
        await using world = await openTestCheckpoint({
          flags: { profile: 'coding', root, state, mode },
          options: { onFault: (fault) => faults.push(String(fault)) },
        });
        await world.call('bash', { command: 'true' });
        return faults.join();
      };
      expect(await next()).toMatch(
        new RegExp(`^\\[layer: its server was killed after bash had ended \\(\\S+\\); ${came}`),
      );
      expect(readdirSync(root).toSorted()).toEqual([...there].toSorted());
      expect(ended()).toBe(0);
      expect(await next()).not.toContain('was killed');
      rmSync(base, { recursive: true });
    },
  );

  test('without a sandbox that works no command runs, and the reply says where to look; with one it does', async () => {
    const run = async (backends?: readonly 'bubblewrap'[]) => {
      const runner = new CommandRunner({
        roots: [{ hostPath: coding.root, writable: true }],
        sandbox: 'required',
        ...(backends ? {} : { backends: [] }),
      });
      try {
        return await runner
          .forSession('one')
          .run(
            { kind: 'script', shell: 'bash', script: 'echo ran > ran.txt' },
            { workingFolder: coding.root, timeoutMs: 30_000, signal: new AbortController().signal },
          );
      } finally {
        await runner.close();
      }
    };
    await expect(run()).rejects.toMatchObject({
      code: 'unavailable',
      message: 'No sandbox works on this machine, so commands are not run.',
      suggestion: { en: '"sekisho doctor" tells the operator why none of them works.' },
    });
    expect(existsSync(join(coding.root, 'ran.txt'))).toBe(false);
    expect((await run(['bubblewrap'])).exitCode).toBe(0);
    expect(existsSync(join(coding.root, 'ran.txt'))).toBe(true);
  });
});
