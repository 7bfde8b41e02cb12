import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { linux, needs } from '../support/needs.ts';
import { runCommand } from '../support/run-command.ts';

test(
  'a folder for temporary files that takes none is told as that, and not as a missing program',
  needs(linux()),
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sekisho-no-tmp-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'root'));
    const where = ['--root', 'root', '--state', 'state'];
    // Nobody writes below a file, root neither.
    const temporary = join(folder, 'file');
    writeFileSync(temporary, '');
    const environment = { HOME: folder, TMPDIR: temporary };

    const doctor = await runCommand(['doctor', ...where], folder, environment);
    const input = JSON.stringify({ command: 'true' });
    const called = await runCommand(
      ['call', 'shell_exec', input, '--toolsets', 'agent-cli', ...where],
      folder,
      environment,
    );

    expect(doctor.stdout).toContain(
      `try: make ${temporary} writable for this user, or set TMPDIR to a folder that is`,
    );
    expect(doctor.stdout + called.stdout + called.stderr).not.toContain('apt-get');
    expect(called.stdout + called.stderr).toContain('folder for temporary files');
  },
);
