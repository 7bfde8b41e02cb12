import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startFile } from '../support/run-command.ts';

test.each([
  [['tools'], { HOME: '/proc' }],
  [['call', 'list_files', '{}'], { HOME: '/proc/self' }],
  [['init', '--yes'], { HOME: '/proc' }],
  [['tools', '--root', '.', '--state', '/proc/x/y'], {}],
])('%j with %j is told that nothing can be kept there, and does not wait for it', (args, place) => {
  const { status, stderr } = sekisho(args, place);
  expect(status).toBe(2);
  expect(stderr).toMatch(
    /^sekisho: .* cannot be there: \/proc\S* belongs to the kernel and contains no files\.\n$/,
  );
});

test('a call of somebody without a home is told which folder cannot be made', () => {
  const { status, stderr } = sekisho(['call', 'list_files', '{}'], { HOME: '/dev/null' });
  expect(stderr).toMatch(
    /^sekisho: The state folder \/dev\/null\/\S+ cannot be made \(ENOTDIR\)\. Name another with --state/,
  );
  expect(status).toBe(2);
});

function sekisho(args: readonly string[], place: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-no-place-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return spawnSync(process.execPath, [startFile, ...args], {
    cwd: folder,
    env: { HOME: folder, PATH: process.env.PATH, LANG: 'C.UTF-8', ...place },
    encoding: 'utf8',
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
}
