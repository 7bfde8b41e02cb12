import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import type { CommandsOptions } from '../../src/command/commands-options.ts';
import { createLayers } from '../../src/command/sandbox/layers.ts';
import { openKernel } from '../../src/command/seccomp/kernel.ts';
import type { DryRun, DryRunChange } from '../../src/contract/capabilities/dry-run.ts';
import type { RunOptions } from '../../src/contract/capabilities/process.ts';
import { needs, sandbox } from '../support/needs.ts';

/** Nobody waits for a layer to go. */
const removal = { timeout: 60_000 };
const base = realpathSync(mkdtempSync('/var/tmp/sekisho-dry-run-'));
const layers = join(base, 'layers');
afterAll(() => rmSync(base, { recursive: true, force: true }));
const never = new AbortController().signal;

let roots = 0;
function makeRoot(): string {
  const root = join(base, `root,${roots++}:\\ö`);
  mkdirSync(join(root, 'src/deep'), { recursive: true });
  writeFileSync(join(root, 'a.txt'), 'one\ntwo\n');
  writeFileSync(join(root, 'b.txt'), 'b\n');
  writeFileSync(join(root, 'src/c.txt'), 'c\n');
  writeFileSync(join(root, 'src/deep/d.bin'), Buffer.from([0, 1, 2, 3]));
  symlinkSync('a.txt', join(root, 'link'));
  return root;
}

function open(root: string, more: Partial<CommandsOptions> = {}): CommandRunner {
  return new CommandRunner({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    backends: ['bubblewrap'],
    layers,
    ...more,
  });
}

async function tryOut(runner: CommandRunner, root: string, script: string, more: Partial<RunOptions> = {}) {
  return runner
    .forSession('one')
    .run(
      { kind: 'script', script, shell: 'bash' },
      { workingFolder: root, timeoutMs: 30_000, signal: never, fate: 'dry-run', ...more },
    );
}

async function dryRunOf(root: string, script: string, more: Partial<RunOptions> = {}): Promise<DryRun> {
  const runner = open(root);
  try {
    const { dryRun, stderr } = await tryOut(runner, root, script, more);
    if (!dryRun) throw new Error(`no dry run: ${stderr}`);
    return dryRun;
  } finally {
    await runner.close();
  }
}

/** Every path with its kind, mode and content. */
function snapshot(folder: string): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  const look = (path: string) => {
    const stat = lstatSync(path);
    const mode = (stat.mode & 0o7777).toString(8);
    const name = relative(folder, path);
    if (stat.isDirectory()) {
      entries.set(name, `folder ${mode}`);
      for (const inner of readdirSync(path)) look(join(path, inner));
    } else if (stat.isSymbolicLink()) entries.set(name, `link ${readlinkSync(path)}`);
    else entries.set(name, `file ${mode} ${readFileSync(path).toString('base64')}`);
  };
  look(folder);
  return entries;
}

const told = (changes: readonly DryRunChange[]) => changes.map(({ change, path }) => `${change} ${path}`);

describe('bubblewrap', needs(sandbox('bubblewrap')), () => {
  test('tells what would be deleted, created and changed, and changes nothing', async () => {
    const root = makeRoot();
    const before = snapshot(root);
    const { changes, total, diff } = await dryRunOf(
      root,
      'sed -i s/two/TWO/ a.txt; rm b.txt; rm -r src; mkdir src; echo new >src/c.txt; ln -sf b.txt link; mkdir -p x/y; echo n >new; chmod 755 a.txt',
    );
    expect(snapshot(root)).toEqual(before);
    expect(changes).toEqual([
      { root, path: 'b.txt', change: 'deleted', kind: 'file', bytes: 2, lines: { added: 0, removed: 1 } },
      { root, path: 'src/deep', change: 'deleted', kind: 'folder', files: 1, names: ['d.bin'] },
      {
        root,
        path: 'a.txt',
        change: 'changed',
        kind: 'file',
        bytes: 8,
        mode: '644 → 755',
        lines: { added: 1, removed: 1 },
      },
      { root, path: 'link', change: 'changed', kind: 'symlink' },
      { root, path: 'new', change: 'created', kind: 'file', bytes: 2, lines: { added: 1, removed: 0 } },
      { root, path: 'src/c.txt', change: 'changed', kind: 'file', bytes: 4, lines: { added: 1, removed: 1 } },
      { root, path: 'x/y', change: 'created', kind: 'folder' },
    ]);
    expect(total).toBe(7);
    expect(diff).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO');
  });

  test('what is only touched, or replaced by the same, is no change', async () => {
    const root = makeRoot();
    const same =
      'touch a.txt; cp a.txt t && mv t a.txt; ln -sfn a.txt link; chmod 644 b.txt; mkdir t; rmdir t';
    expect(told((await dryRunOf(root, same)).changes)).toEqual([]);
  });

  test('a file in the place of a folder, and a folder in that of a file', async () => {
    const root = makeRoot();
    const { changes } = await dryRunOf(
      root,
      'rm -r src; echo x >src; rm b.txt; mkdir b.txt; echo y >b.txt/z',
    );
    expect(told(changes)).toEqual(['deleted b.txt', 'deleted src', 'created b.txt/z', 'created src']);
  });

  test('git works as it does, and neither commits nor keeps a setting', async () => {
    const root = makeRoot();
    execFileSync('git', ['init', '-q', root]);
    const before = snapshot(root);
    const runner = open(root);
    const { stdout, dryRun } = await tryOut(
      runner,
      root,
      'git config user.name A; git add -A; git commit -qm one; git log --format="%an %s"',
    );
    await runner.close();
    expect(stdout).toBe('Tess Test one\n');
    expect(dryRun?.changes.some(({ path }) => path.startsWith('.git/objects/'))).toBe(true);
    expect(snapshot(root)).toEqual(before);
  });

  test('leaves nothing to the session: no variable, no folder, no file of its /tmp, no layer', async () => {
    const root = makeRoot();
    const runner = open(root, { mayKeep: () => true });
    await tryOut(runner, root, 'export LEFT=1; cd src; echo x >/tmp/left', { inSession: true });
    expect(runner.forSession('one').kept()).toEqual({ variables: {} });
    const { stdout } = await tryOut(runner, root, 'ls /tmp; echo "$LEFT"', {
      inSession: true,
      fate: 'keep',
    });
    expect(stdout).not.toContain('left');
    await vi.waitFor(
      () => expect(readdirSync(layers).filter((name) => name !== 'makers')).toEqual([]),
      removal,
    );
    await runner.close();
  });

  test('a command that is withdrawn or runs out of time changes nothing, and its layer goes', async () => {
    const root = makeRoot();
    const before = snapshot(root);
    const runner = open(root);
    const { timedOut, dryRun } = await tryOut(runner, root, 'rm a.txt; sleep 60', { timeoutMs: 700 });
    expect(timedOut).toBe(true);
    expect(told(dryRun?.changes ?? [])).toEqual(['deleted a.txt']);
    const stop = new AbortController();
    const running = tryOut(runner, root, 'rm -r src; echo x >>b.txt; sleep 60', { signal: stop.signal });
    setTimeout(() => stop.abort(), 300);
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    await vi.waitFor(
      () => expect(readdirSync(layers).filter((name) => name !== 'makers')).toEqual([]),
      removal,
    );
    expect(snapshot(root)).toEqual(before);
    await runner.close();
  });

  test('what a hostile command leaves in its layer is neither followed nor opened', async () => {
    const root = makeRoot();
    const secret = join(base, 'secret');
    writeFileSync(secret, 'sekisho-canary\n');
    const before = snapshot(root);
    const { changes, diff } = await dryRunOf(
      root,
      `ln -sf ${JSON.stringify(secret)} a.txt; rm -r src; ln -s ${JSON.stringify(base)} src
mkfifo pipe; python3 -c 'import socket; socket.socket(1).bind("sock")' 2>/dev/null
echo x >set; chmod 6755 set; mkdir shut; echo x >shut/in; chmod 000 shut; mknod dev c 1 3 2>/dev/null
for i in $(seq 300); do mkdir deep$((i % 2)) && cd deep$((i % 2)); done; true`,
    );
    expect(told(changes)).toContain('changed a.txt');
    expect(told(changes)).toContain('created pipe');
    expect(told(changes)).toContain('created shut/in');
    expect(diff).not.toContain('sekisho-canary');
    expect(changes.find(({ path }) => path === 'dev')).toBeUndefined();
    expect(snapshot(root)).toEqual(before);
    await vi.waitFor(
      () => expect(readdirSync(layers).filter((name) => name !== 'makers')).toEqual([]),
      removal,
    );
  });

  test('a folder that others swap for a link while the layer is read shows nothing of what it leads to', async () => {
    const root = makeRoot();
    const outside = join(base, 'outside');
    mkdirSync(outside, { recursive: true });
    writeFileSync(join(outside, 'c.txt'), 'sekisho-canary\n');
    const runner = open(root);
    let swapping = true;
    const swaps = (async () => {
      while (swapping) {
        renameSync(join(root, 'src'), join(root, 'aside'));
        symlinkSync(outside, join(root, 'src'));
        await new Promise((resolve) => setImmediate(resolve));
        rmSync(join(root, 'src'));
        renameSync(join(root, 'aside'), join(root, 'src'));
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let round = 0; round < 25; round++) {
      const { dryRun } = await tryOut(runner, root, 'echo mine >src/c.txt; rm -f src/deep/d.bin').catch(
        () => ({
          dryRun: undefined,
        }),
      );
      expect(dryRun?.diff ?? '').not.toContain('sekisho-canary');
    }
    swapping = false;
    await swaps;
    await runner.close();
    expect(readFileSync(join(outside, 'c.txt'), 'utf8')).toBe('sekisho-canary\n');
  });

  test('random commands: the tree stays as it was, and what is told is what a plain run changes', async () => {
    const path = fc.constantFrom('a.txt', 'b.txt', 'src', 'src/c.txt', 'src/deep', 'new', 'new/in', 'link');
    // Modes that hold for whoever runs the tests: root outside may enter what is shut, inside the walls nobody may.
    const step = fc.oneof(
      fc.tuple(path, fc.constantFrom('x', 'one\\ntwo\\n')).map(([at, words]) => `printf '${words}' >${at}`),
      path.map((at) => `printf more >>${at}`),
      path.map((at) => `rm -r ${at}`),
      path.map((at) => `mkdir ${at}`),
      fc.tuple(path, path).map(([from, to]) => `mv ${from} ${to}`),
      // Into itself, cp stops where it meets a folder that it has just made, which is sooner or later by inode.
      fc
        .tuple(path, path)
        .filter(([from, to]) => !`${to}/`.startsWith(`${from}/`))
        .map(([from, to]) => `cp -r ${from} ${to}`),
      fc.tuple(path, path).map(([from, to]) => `ln -s ${from} ${to}`),
      fc.tuple(path, fc.constantFrom('700', '755')).map(([at, mode]) => `chmod ${mode} ${at}`),
      path.map((at) => `truncate -s 1 ${at}`),
    );
    const root = makeRoot();
    const before = snapshot(root);
    const runner = open(root);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const script = `umask 022\n${steps.map((line) => `${line} 2>/dev/null`).join('\n')}\ntrue`;
        const { dryRun } = await tryOut(runner, root, script);
        expect(snapshot(root)).toEqual(before);
        const plain = join(base, 'plain');
        rmSync(plain, { recursive: true, force: true });
        cpSync(root, plain, { recursive: true, verbatimSymlinks: true });
        execFileSync('bash', ['-c', script], { cwd: plain, stdio: 'ignore' });
        expect(pathsOf(dryRun?.changes ?? [])).toEqual(changedPaths(before, snapshot(plain)));
      }),
      { numRuns: Number(process.env.SEKISHO_DRY_RUNS ?? 30) },
    );
    await runner.close();
  }, 600_000);

  test('where the overlay is left out, the self-test is red and nothing runs', async () => {
    const kernel = await openKernel();
    const spawn: Parameters<typeof createLayers>[2] = () => ({
      home: '/tmp',
      temporary: '/tmp',
      spawn: async ({ workingFolder, command }) => {
        if (command.kind === 'script') execFileSync('sh', ['-c', command.script], { cwd: workingFolder });
        const runner = await import('../../src/command/child/start-child.ts');
        const child = await runner.startByNode({
          program: 'true',
          args: [],
          environment: {},
          stdin: 'null',
          extra: [],
        });
        return { ...child, members: () => [], destroy: () => {} };
      },
    });
    const weakened = createLayers({ base: join(base, 'weak'), next: '/usr/bin/bwrap' }, kernel, spawn);
    await expect(weakened.open([])).rejects.toThrow('reached the folder below');
    expect(readdirSync(join(base, 'weak'))).toEqual([]);
  });

  test('a state folder inside of a root cannot hold layers, and the refusal says so', async () => {
    const root = makeRoot();
    const runner = open(root, { layers: join(root, 'state') });
    await expect(tryOut(runner, root, 'rm a.txt')).rejects.toMatchObject({ code: 'unavailable' });
    expect(existsSync(join(root, 'a.txt'))).toBe(true);
    await runner.close();
  });

  test('what a killed server left is removed by the next', async () => {
    const left = join(layers, 'layer-left');
    mkdirSync(join(left, '0/upper/shut/in'), { recursive: true });
    chmodSync(join(left, '0/upper/shut'), 0);
    writeFileSync(
      join(left, 'owner'),
      JSON.stringify({ pid: 1, started: '', boot: 'another', namespace: '' }),
    );
    await dryRunOf(makeRoot(), 'true');
    await vi.waitFor(() => expect(existsSync(left)).toBe(false));
  });
});

test(
  'landlock has no layers: nothing runs, and the refusal says why',
  needs(sandbox('landlock')),
  async () => {
    const root = makeRoot();
    const runner = open(root, { backends: ['landlock'] });
    await expect(tryOut(runner, root, 'rm a.txt')).rejects.toMatchObject({
      code: 'unavailable',
      text: { en: expect.stringContaining('dry runs need bubblewrap') },
    });
    expect(existsSync(join(root, 'a.txt'))).toBe(true);
    await runner.close();
  },
);

/** A folder that is deleted stands for all in it; one that is made shows by what is in it. */
function changedPaths(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const kind = (state: string | undefined) => state?.split(' ')[0];
  const paths = new Set<string>();
  const gone = (path: string) =>
    before.has(path) && (kind(before.get(path)) === 'folder') !== (kind(after.get(path)) === 'folder');
  for (const path of before.keys()) {
    const top = path
      .split('/')
      .map((_, index, parts) => parts.slice(0, index + 1).join('/'))
      .find((each) => !after.has(each) || gone(each));
    if (top !== undefined) paths.add(`deleted ${top}`);
  }
  for (const [path, state] of after) {
    const former = before.get(path);
    if (former === state) continue;
    const wasFolder = kind(former) === 'folder';
    const isFolder = kind(state) === 'folder';
    if (former !== undefined && wasFolder === isFolder) paths.add(`changed ${path}`);
    else if (!isFolder || ![...after.keys()].some((other) => other.startsWith(`${path}/`)))
      paths.add(`created ${path}`);
  }
  return [...paths].filter((line) => !/^(changed|created) $/.test(line)).sort();
}

function pathsOf(changes: readonly DryRunChange[]): string[] {
  return [...new Set(told(changes))].sort();
}
