import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hookedClients } from '../../src/cli/init/hooked-clients.ts';
import { hookServersOf } from '../hooks/hook-servers.ts';
import { runCommand } from '../support/run-command.ts';

let home: string;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'sekisho-doctor-hooks-'));
  mkdirSync(join(home, 'project'));
  await sekisho('init', '--yes', '--root', join(home, 'project'));
});
afterEach(() => {
  for (const pid of hookServersOf(home)) process.kill(pid, 'SIGKILL');
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

const sekisho = (...args: string[]) => runCommand(args, join(home, 'project'), { HOME: home });
const settings = () => join(home, '.claude/settings.json');

async function examined() {
  const { code, stdout } = await sekisho('doctor', '--json');
  const found = (
    JSON.parse(stdout) as { what: string; works: boolean; detail: string; remedy?: string }[]
  ).filter(({ what }) => what.startsWith('hooks '));
  return { code, found };
}

test('each installed hook is tried, and says that it refuses; a client without hooks is not spoken of', async () => {
  expect((await examined()).found).toEqual([]);
  for (const client of hookedClients.keys()) await sekisho('init', '--client', client, '--hooks');
  const { found } = await examined();
  expect(found.map(({ what, works }) => [what, works])).toEqual(
    [...hookedClients.keys()].map((client) => [`hooks ${client}`, true]),
  );
});

test('one that lets everything through is red, and so is the end of the command', async () => {
  await sekisho('init', '--hooks');
  const program = join(home, '.local/state/sekisho/hooks/claude-hook');
  for (const [script, said] of [
    ['exit 0', 'a write where no tool may write'],
    ['exit 1', 'a write where no tool may write'],
    [`read -r line; case "$line" in *'}') exit 2;; esac`, 'an event that was cut'],
  ] as const) {
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o700);
    const { code, found } = await examined();
    expect(code).toBe(2);
    expect(found).toEqual([
      {
        what: 'hooks claude',
        works: false,
        detail: expect.stringContaining(said),
        remedy: 'sekisho init --client claude --hooks',
      },
    ]);
  }
  rmSync(program);
  expect((await examined()).found).toMatchObject([{ works: false }]);
});

test('an event that was taken out of the settings is missed', async () => {
  await sekisho('init', '--hooks');
  const { hooks, ...rest } = JSON.parse(readFileSync(settings(), 'utf8'));
  const { PreToolUse: _, ...others } = hooks;
  writeFileSync(settings(), JSON.stringify({ ...rest, hooks: others }));
  const { code, found } = await examined();
  expect([code, found[0]?.detail]).toEqual([2, expect.stringContaining('PreToolUse')]);
});
