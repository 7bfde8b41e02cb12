import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { shellOf } from '../../src/command/shell.ts';
import { needs, programs } from '../support/needs.ts';
import { startFile } from '../support/run-command.ts';

const run = promisify(execFile);
const bashes = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].filter((path) => existsSync(path));
const shells = ['/bin/dash', '/bin/busybox'].filter((path) => existsSync(path));
/** Covering bash for one process tree takes a mount namespace. */
const lack = (() => {
  try {
    execFileSync('unshare', ['-m', 'mount', '--bind', '/dev/null', '/dev/full'], { stdio: 'ignore' });
    return programs('bash');
  } catch {
    return 'no mount namespaces of its own';
  }
})();

describe.each(shells)('on a machine without bash whose sh is %s', (shell) => {
  test('commands run by sh', needs(lack), async () => {
    const call = openMachine(shell);

    for (const tool of ['bash', 'shell_exec']) {
      expect(
        await call(tool, `command -v bash || for x in a b; do printf '%s-' "$x"; done | cat`),
      ).toMatchObject({
        stdout: 'a-b-',
        stderr: '',
      });
    }
  });
});

test('the shell is the bash on the path, and a file that cannot run is none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-shell-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'bash'), '#!/bin/sh\n', { mode: 0o644 });
  const before = shellOf(folder);
  expect(before).toBe(shellOf(undefined));
  chmodSync(join(folder, 'bash'), 0o755);
  expect(shellOf(folder)).toBe('bash');
});

/** One call of a tool by a server that sees no bash, and this shell as /bin/sh. */
function openMachine(shell: string) {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-no-bash-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, 'project');
  mkdirSync(root);
  const covers = [
    ...bashes.map((path) => `mount --bind /dev/null ${path}`),
    `mount --bind ${shell} "$(readlink -f /bin/sh)"`,
  ];
  return async (tool: string, command: string) => {
    const args = [
      startFile,
      'call',
      tool,
      JSON.stringify({ command }),
      '--json',
      '--toolsets',
      'assistant,agent-cli',
    ];
    const script = `${covers.join(' && ')} && exec "$@"`;
    const env = { HOME: folder, PATH: process.env.PATH, LANG: 'C.UTF-8' };
    const { stdout } = await run('unshare', ['-m', 'sh', '-c', script, 'sh', process.execPath, ...args], {
      cwd: root,
      env,
    }).catch((error) => error);
    return JSON.parse(stdout);
  };
}
