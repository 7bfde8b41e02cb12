import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../support/run-command.ts';

const commands = [['serve'], ['serve', '--http', '127.0.0.1:0'], ['doctor']];
const mistakes = [
  [
    { HARD_MAX_CHARS: '20,000' },
    {},
    'HARD_MAX_CHARS must be a whole number from 1 to 100000000, got "20,000".',
  ],
  [{ VAULT_SCAN_MAX_CHUNK_LINES: '0' }, {}, 'VAULT_SCAN_MAX_CHUNK_LINES must be a whole number'],
  [{ VAULT_SCAN_DEFAULT_CHUNK_LINES: '201' }, {}, 'VAULT_SCAN_DEFAULT_CHUNK_LINES must be at most 200'],
  [{}, { root: '/nowhere/notes' }, 'vault.root must be a folder, got "/nowhere/notes".'],
  [{}, { root: 'file.md' }, 'vault.root must be a folder, got "'],
] as const;

test.each(
  mistakes.flatMap(([environment, vault, words]) =>
    commands.map((command) => ({ environment, vault, words, command })),
  ),
)('$command with $environment and $vault ends with 2 and the name of the key', async (mistake) => {
  const folder = makePlace(mistake.vault);

  const { code, stdout, stderr } = await runCommand(
    [...mistake.command, '--config', '../config.jsonc', '--state', '../state'],
    folder,
    { HOME: join(folder, '../home'), ...mistake.environment },
  );

  expect(stderr).toContain(`sekisho: ${mistake.words}`);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect([code, stdout]).toEqual([2, '']);
});

test('a vault that its first note will make is no mistake, nor are limits of notes that nobody is served', async () => {
  const missing = makePlace({ root: 'later/notes' });
  const tools = ['tools', '--config', '../config.jsonc', '--state', '../state'];
  expect(await runCommand(tools, missing, { HOME: join(missing, '../home') })).toMatchObject({ code: 0 });
  const other = [...tools, '--toolsets', 'assistant'];
  expect(
    await runCommand(other, missing, { HOME: join(missing, '../home'), HARD_MAX_CHARS: 'x' }),
  ).toMatchObject({ code: 0 });
});

function makePlace(vault: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-vault-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'root'));
  writeFileSync(join(folder, 'root/file.md'), 'a file');
  writeFileSync(join(folder, 'config.jsonc'), JSON.stringify({ toolsets: ['vault'], vault }));
  return join(folder, 'root');
}
