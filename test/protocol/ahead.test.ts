import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createPreloader } from '../../src/checkpoint/preload.ts';
import { CommandRunner } from '../../src/command/commands.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';
import { startFile } from '../support/run-command.ts';

test('a server that loads ahead after its list leaves no records behind, and answers as before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-ahead-'));
  const root = join(folder, 'root');
  mkdirSync(root);
  writeFileSync(join(root, 'a.txt'), 'hello');
  const state = join(folder, 'state');
  const child = spawn(process.execPath, [startFile, 'serve', '--root', root, '--state', state], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ask = async (id: number, method: string, params: object = {}) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return JSON.parse((await lines.next()).value ?? '') as { id: number; result: object };
  };

  expect(await ask(1, 'tools/list')).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
  await sleep(700);
  expect(existsSync(join(state, 'sekisho.db'))).toBe(false);
  const answer = await ask(2, 'tools/call', { name: 'file_read', arguments: { path: 'a.txt' } });
  expect(answer).toMatchObject({ id: 2, result: { structuredContent: { content: 'hello' } } });
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
  expect(existsSync(join(state, 'sekisho.db'))).toBe(true);
});

test('programs are looked for ahead where commands may follow, and the first one finds them known', async () => {
  const looked: string[] = [];
  for (const toolset of ['assistant', 'vault'] as const) {
    await using world = await openTestCheckpoint({ config: { toolsets: [toolset] } });
    const { settings, rooms } = world.checkpoint;
    const spied = async () => {
      const runner = await rooms.commands();
      vi.spyOn(runner, 'toolchains').mockImplementation(() => {
        looked.push(toolset);
        return CommandRunner.prototype.toolchains.call(runner);
      });
      return runner;
    };
    const commands = Object.assign(spied, { opened: rooms.commands.opened });
    const ahead = createPreloader({ settings, rooms: { commands } });
    ahead.soon();
    // Where no command can come there is nothing to wait for but time.
    if (toolset === 'assistant') await expect.poll(() => looked.length).toBe(1);
    else await sleep(1500);
    ahead.stop();
  }
  expect(looked).toEqual(['assistant']);
});
