import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import { needs, sandbox } from '../support/needs.ts';
import { openTestCheckpoint, outputOf, remote } from '../support/open-test-checkpoint.ts';

// Two people behind tokens, each with a desk in `output/`. Neither may see the other's, through a command either.

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-desks-')));
  for (const user of ['ann', 'bob']) {
    mkdirSync(join(root, 'output', user), { recursive: true });
    writeFileSync(join(root, 'output', user, 'letter.txt'), `from ${user}`);
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.each(['bubblewrap', 'landlock'] as const)('%s', (name) => {
  test('keeps what is covered from a command', needs(sandbox(name)), async () => {
    const runner = new CommandRunner({
      roots: [{ hostPath: root, writable: true }],
      sandbox: 'required',
      backends: [name],
    });
    const own = join(root, 'output', 'bob');
    const script =
      'cat letter.txt; cat ../ann/letter.txt; grep -rs from ..; ln -s ../ann a; cat a/letter.txt; cp -r ../ann b; ln ../ann/letter.txt c; ls -A . ..; echo new > new.txt && cat new.txt';
    const result = await runner.forSession('s').run(
      { kind: 'script', script, shell: 'bash' },
      {
        workingFolder: own,
        reach: { writable: [own], covered: [join(root, 'output')] },
        timeoutMs: 20_000,
        signal: new AbortController().signal,
      },
    );
    await runner.close();
    expect(result.stdout).toContain('from bob');
    expect(result.stdout).toContain('new');
    expect(result.stdout).not.toMatch(/from ann/);
  });
});

test(
  'bash of one person does not see the desk of another',
  needs(sandbox('bubblewrap', 'landlock')),
  async () => {
    await using world = await openTestCheckpoint({
      files: { 'shared.txt': 'for all' },
      flags: { toolsets: ['assistant'] },
    });
    const { tokens } = await world.checkpoint.store();
    const ann = await tokens.create({ user: 'ann' });
    const bob = await tokens.create({ user: 'bob' });
    await world.call(
      'write_file',
      { path: 'letter.txt', content: 'from ann' },
      { arrival: remote(ann.token) },
    );
    const reply = await world.call(
      'bash',
      {
        command:
          'cat ../user_ann/letter.txt; grep -rs from ../../..; ls ..; echo mine > own.txt; cat own.txt',
      },
      { arrival: remote(bob.token) },
    );
    expect(outputOf(reply).stdout).toMatch(/mine/);
    expect(outputOf(reply).stdout).not.toMatch(/from ann|user_ann/);
  },
);
