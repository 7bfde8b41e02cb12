import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../../src/command/commands.ts';
import { obeyedNames } from '../../../src/ground/obeyed/obeyed-names.ts';
import { needs, sandbox } from '../../support/needs.ts';
import { openTestCheckpoint } from '../../support/open-test-checkpoint.ts';
import { type Door, doors } from './doors.ts';

const of = (outcome: Door['outcome']) => doors.filter((door) => door.outcome === outcome);

test('there are sixty doors and more, each once', () => {
  expect(new Set(doors.map(({ path }) => path)).size).toBe(doors.length);
  expect(doors.length).toBeGreaterThanOrEqual(60);
});

describe('the tool write_file', () => {
  let world: Awaited<ReturnType<typeof openTestCheckpoint>>;
  beforeAll(async () => {
    world = await openTestCheckpoint({ config: { profile: 'coding', approval: { waitMs: 10 } } });
  });
  afterAll(() => world.close());

  const asked: string[] = [];
  const write = (path: string) =>
    world.call(
      'write_file',
      { path, content: 'x' },
      {
        elicit: async (question) => {
          asked.push(JSON.stringify(question));
          return { action: 'decline' };
        },
      },
    );

  test.each(of('refused'))('does not write $path', async ({ path }) => {
    expect(await write(path)).toMatchObject({ kind: 'error', structured: { error: { code: 'forbidden' } } });
    expect([existsSync(join(world.root, path)), asked]).toEqual([false, []]);
  });

  test.each(of('asked'))('asks before it writes $path, and says why', async ({ path }) => {
    expect(await write(path)).toMatchObject({
      kind: 'error',
      structured: { error: { code: 'approval_pending' } },
    });
    expect(asked.splice(0)).toEqual([
      expect.stringContaining('it later runs outside the sandbox, without a question'),
    ]);
    expect(existsSync(join(world.root, path))).toBe(false);
  });

  test.each([...of('started'), ...of('silent')])('writes $path without a question', async ({ path }) => {
    expect(await write(path)).toMatchObject({ kind: 'output' });
    expect(readFileSync(join(world.root, path), 'utf8')).toBe('x');
  });
});

const listed = readFileSync('docs/threat-model.md', 'utf8')
  .split('## Files that programs outside obey')[1]
  ?.split('\n## ')[0]
  ?.split('**You start them.**')[1];

test.each(of('started'))('the threat model lists $path as what a person starts', ({ path }) => {
  const spans = [path, dirname(path)].map((name) => (name === path ? `\`${name}\`` : `\`${name}/\``));
  expect(spans.filter((span) => listed?.includes(span))).toHaveLength(1);
});

describe('what runs nothing', () => {
  const made: string[] = [];
  afterEach(() => {
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  const proofs = of('silent').flatMap(({ path, proof }) => (proof ? [{ path, ...proof }] : []));
  const isThere = ({ needs }: { needs: string }) => spawnSync('which', [needs]).status === 0;

  test.each(proofs.filter(isThere))('$path runs nothing of its own in $needs', (proof) => {
    const { path, content, outside, control } = proof;
    const folder = mkdtempSync(join(tmpdir(), 'sekisho-door-'));
    made.push(folder);
    const mark = join(folder, '.mark');
    const root = join(folder, 'root');
    mkdirSync(root);
    const person = (script: string) =>
      spawnSync('bash', ['-c', script], {
        cwd: root,
        env: { PATH: process.env.PATH, HOME: folder, MARK: mark, TERM: 'dumb' },
        stdio: 'ignore',
        timeout: 20_000,
      });
    person(
      'git config --global user.name x; git config --global user.email x; git init -q; echo a >a; git add a; git commit -qm a',
    );
    writeFileSync(join(root, path), content);
    person(outside);
    expect(existsSync(mark)).toBe(false);
    person(control);
    expect(existsSync(mark)).toBe(true);
  });
});

describe('a command behind bubblewrap', needs(sandbox('bubblewrap')), () => {
  const folders = /^\.(vscode|ssh|shelpa|system|sekisho|config\/(git|fish))$/;

  test('changes nothing of what is there and obeyed, and moves none of it away', async () => {
    const base = realpathSync(mkdtempSync('/var/tmp/sekisho-doors-'));
    const root = join(base, 'root');
    const files = obeyedNames.map((name) => (folders.test(name) ? `${name}/x` : name));
    for (const file of files) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), 'mine');
    }
    const commands = new CommandRunner({
      roots: [{ hostPath: root, writable: true }],
      sandbox: 'required',
      backends: ['bubblewrap'],
    });
    const bash = (script: string) =>
      commands
        .forSession('s')
        .run(
          { kind: 'script', script, shell: 'bash' },
          { workingFolder: root, timeoutMs: 30_000, signal: new AbortController().signal },
        );
    try {
      const plants = files.map(
        (file) =>
          `echo evil >"${file}"; rm -r "${file}"; mv "${dirname(file)}" gone; mv "${file.split('/')[0]}" gone; mkdir -p "${dirname(file)}"; echo evil >"${file}"`,
      );
      await bash(plants.join('\n'));
      expect(files.filter((file) => readFileSync(join(root, file), 'utf8') !== 'mine')).toEqual([]);
      // What stands beside them is the project's own.
      const { stderr } = await bash(
        'mkdir -p .cursor/rules .config/x && echo a >.cursor/rules/a && echo a >.config/x/a',
      );
      expect(stderr).toBe('');
    } finally {
      await commands.close();
      rmSync(base, { recursive: true, force: true });
    }
  });
});
