import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CommandRunner } from '../../src/command/commands.ts';
import { createTestJudge } from '../../test/support/effects-judge.ts';
import { atLeast, atMost, isFull, type Result, type Row } from '../measure.ts';

const program = join(import.meta.dirname, '../servers/published.ts');
const [inside, outside] = [21_735, 21_736];

export const rows: readonly Row[] = [{ name: 'publish', run: compare }];

/** The same server in a sandbox, by its published port, and outside of it. The client is a process of its own. */
async function compare(): Promise<readonly Result[]> {
  const root = realpathSync(mkdtempSync('/var/tmp/sekisho-bench-publish-'));
  const runner = new CommandRunner({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    readable: [realpathSync(join(import.meta.dirname, '../..'))],
    publish: { ports: [[inside, inside]], reserved: [] },
  });
  const judge = {
    ...createTestJudge(),
    askAboutRequest: async () => ({ isAllowed: true, by: 'bench' }) as const,
  };
  const direct = spawn(process.execPath, [program, 'serve', String(outside)]);
  try {
    await runner
      .forSession('bench', { judge })
      .start(
        { kind: 'program', program: process.execPath, args: [program, 'serve', String(inside)] },
        { workingFolder: root, inSession: true },
      );
    while (runner.published().length === 0) await sleep(50);
    const args = [program, 'measure', String(inside), String(outside), String(isFull ? 10_000 : 500)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { kept, down } = JSON.parse(stdout);
    const rate = (ms: number) => 100 / (ms / 1000);
    return [
      atMost('a request to a published port on an open connection', 'directly', 1.3, kept),
      atLeast(
        '100 MiB from a published port, MiB a second',
        'directly',
        0.6,
        { ours: rate(down.ours), theirs: rate(down.theirs) },
        'count',
      ),
    ];
  } finally {
    direct.kill();
    await runner.close();
    rmSync(root, { recursive: true, force: true });
  }
}
