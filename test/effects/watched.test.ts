import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { errorOf, openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { plantRepository, runIn, takeBack, tree } from './layer-world.ts';

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

/** Programs that lose what nothing else keeps, or a repository. */
const wipers: Record<string, string> = {
  'wipe.py': 'import glob, os\n[os.remove(path) for path in glob.glob("data/*")]\n',
  'git.py': 'import shutil\n[shutil.rmtree(".git/" + name) for name in ("objects", "refs")]\n',
  'threads.py': `import glob, os, threading
files = sorted(glob.glob("data/*"))
def work(at):
    for path in files[at::8]:
        try: os.remove(path)
        except OSError: pass
all = [threading.Thread(target=work, args=(at,)) for at in range(8)]
[each.start() for each in all]
[each.join() for each in all]
`,
  'forks.py': `import glob, os
files = sorted(glob.glob("data/*"))
for at in range(8):
    if os.fork() == 0:
        for path in files[at::8]:
            os.rename("new", path) if at == 0 and os.path.exists("new") else open(path, "w").close()
        os._exit(0)
for at in range(8): os.wait()
`,
  'swap.py': `import ctypes, glob, os, threading
libc = ctypes.CDLL(None)
name = ctypes.create_string_buffer(64)
files = [path.encode() for path in sorted(glob.glob("data/*"))]
over = False
def swap():
    while not over:
        for path in files: name.value = path
threading.Thread(target=swap, daemon=True).start()
while len(glob.glob("data/*")) > 5: libc.unlink(name)
over = True
`,
  'r+.py':
    'import glob\nfor path in glob.glob("data/*"):\n  with open(path, "r+") as f: f.write("x" * 100)\n',
  'own.py': 'import os, sys\nfor n in range(20): os.remove(f"data/{int(sys.argv[1]) + n}.csv")\n',
  'package.json': '{"scripts": {"start": "python3 wipe.py", "watch": "python3 git.py"}}',
  Makefile: 'run:\n\tpython3 wipe.py\n',
};

/** Each runs on the folders themselves. */
const programs: readonly (readonly [title: string, script: string])[] = [
  ['deletes', 'rm -r docs data/1.csv; rm a.txt'],
  ['deletes by a program', "python3 -c \"import shutil; shutil.rmtree('data'); shutil.rmtree('docs')\""],
  ['empties', 'for f in data/*; do : > "$f"; done'],
  [
    'overwrites in place',
    "python3 -c \"import glob; [open(f, 'r+').write('X') for f in glob.glob('data/*')]\"",
  ],
  ['cuts off', 'truncate -s 2 data/*; truncate -s 100 a.txt'],
  ['appends', 'for f in data/* a.txt; do echo more >> "$f"; done'],
  ['renames over', 'for f in data/*; do echo new > t; mv t "$f"; done'],
  [
    'moves a folder, changes it there and removes it',
    'mv data d2; echo x > d2/1.csv; rm d2/2.csv; mv d2 d3; rm -r d3',
  ],
  [
    'moves a folder away and another into its place',
    'mv data d2; mkdir data; echo n > data/1.csv; mv docs data/',
  ],
  [
    'exchanges folders',
    `python3 -c "
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
assert libc.renameat2(-100, b'data', -100, b'docs', 2) == 0, ctypes.get_errno()
os.remove('docs/3.csv')"`,
  ],
  ['makes', 'mkdir -p n/e/w; echo 1 > n/e/w/f; ln -s f n/l; ln a.txt n/hard; cp -r data n/data'],
  [
    'changes modes',
    'chmod 600 a.txt docs; chmod -R a-w data; chmod 000 b.bin; chmod +x docs/d.md; touch -d 2001-02-03 data',
  ],
  [
    'changes modes of open files and by other names, and content then',
    "python3 -c \"import os; f = os.open('a.txt', 0); os.fchmod(f, 0o640); os.chmod('hard2', 0o604)\"; echo X >> hard1; chmod 400 hard1",
  ],
  ['writes by a second name', 'ln a.txt b.txt; echo X > b.txt; rm b.txt'],
  ['writes by a second name that was there', 'echo X > hard2; rm hard1'],
  ['replaces links', 'ln -sfn docs link; rm link; echo f > link'],
  ['writes through a link', 'echo X > link/new; echo X > link/1.csv'],
  ['wipes its repository', 'rm -rf .git'],
  [
    "removes a repository's objects, refs and logs",
    "python3 -c \"import shutil; [shutil.rmtree('.git/' + n) for n in ('objects', 'refs', 'logs')]; open('.git/index', 'w')\"",
  ],
  ['moves a nested repository, and removes it', 'mv packages p2 && rm -rf p2'],
  ['hides a nested repository', 'mv packages/sub/.git packages/sub/git'],
  [
    'works with git',
    'echo 3 >> a.txt; git add -A; git commit -qm three; git checkout -q -b more; git rm -q docs/d.md; git commit -qm four; git checkout -q main; git branch -D more -q',
  ],
  ['packs and prunes', 'git branch -q -D side; git reflog expire --expire=now --all; git gc -q --prune=now'],
  ['stashes and forgets', 'echo w >> a.txt; git stash -q -u; git stash drop -q'],
  [
    'unpacks over what is there',
    'tar cf /tmp/t.tar data; rm -r data; mkdir data; echo o > data/new.csv; tar xf /tmp/t.tar',
  ],
];

describe('A command that runs on the folders themselves', needs(lackOfLayers), () => {
  let world: World;
  const at = (path: string) => join(world.root, path);

  beforeAll(async () => {
    world = await openTestCheckpoint({
      flags: { profile: 'coding' },
      config: { process: { layer: 'off' } },
    });
    plantRepository(world.root);
    for (const folder of ['data', 'docs', 'packages/sub']) mkdirSync(at(folder), { recursive: true });
    for (let n = 0; n < 8; n++) writeFileSync(at(`data/${n}.csv`), `row ${n} of what nothing else has\n`);
    writeFileSync(at('docs/d.md'), '# of somebody\n');
    writeFileSync(at('hard1'), 'one\n');
    linkSync(at('hard1'), at('hard2'));
    symlinkSync('docs', at('link'));
    execFileSync('bash', ['-c', 'cd "$1/packages/sub" && git init -q && echo n > n', '-', world.root]);
  });
  afterAll(() => world.close());

  test.each(programs)('and %s is taken back byte for byte, .git included', async (_, script) => {
    const before = tree(world.root);
    const { auditId } = await runIn(world, script);
    expect(tree(world.root)).not.toEqual(before);
    expect(await takeBack(world, auditId)).toEqual([]);
    expect(tree(world.root)).toEqual(before);
  });

  test('keeps the objects that it removed as well', async () => {
    await runIn(world, 'rm -rf .git/objects').then(({ auditId }) => takeBack(world, auditId));
    execFileSync('git', ['-C', world.root, 'fsck', '--full'], { stdio: 'pipe' });
  });
});

const dots = `
import os
for name in ('..', './..', 'data/../..', '../', '.', 'data/.', 'data/..'):
    for work in (lambda: os.rename(name, 'up'), lambda: os.rename('data', name), lambda: os.rmdir(name),
                 lambda: os.unlink(name), lambda: os.link(name, 'up'), lambda: open(name, 'w')):
        try:
            work()
            print(name, 'done')
        except OSError as error:
            print(name, 'refused', error.errno)
`;

const beforeChange = `
import os
open('new.txt', 'w').write('new')
os.setxattr('new.txt', 'user.kept', b'as it was')
os.setxattr('docs', 'user.gone', b'of a folder')
os.symlink('docs', 'link')
`;
const change = `
import os
os.setxattr('new.txt', 'user.kept', b'another')
os.chmod('new.txt', 0o400)
os.utime('new.txt', (1, 2))
os.setxattr('data/7.csv', 'user.more', b'more')
os.removexattr('docs', 'user.gone')
os.chmod('docs', 0o500)
os.utime('docs', ns=(3, 4))
os.utime('link', (5, 6), follow_symlinks=False)
os.chown('data', os.getuid(), os.getgid())
with open('data/7.csv', 'r+') as file:
    os.fchmod(file.fileno(), 0o666)
    os.setxattr(file.fileno(), 'user.open', b'open')
for name in ('new.txt', 'data/7.csv', 'link'):
    assert os.lstat(name).st_mtime < 9 or name == 'data/7.csv', name
assert os.getxattr('data/7.csv', 'user.open') == b'open' and oct(os.stat('docs').st_mode).endswith('500')
`;

/** A line, and how it is sent. */
const wipes: readonly (readonly [line: string, more: object])[] = [
  ...['wipe.py', 'git.py', 'threads.py', 'forks.py', 'swap.py', 'r+.py'].map(
    (name) => [`python3 ${name}`, { background: true }] as const,
  ),
  ['nohup python3 wipe.py > /dev/null', { background: true }],
  ['setsid -w python3 wipe.py', { background: true }],
  ['python3 wipe.py & wait', { background: true }],
  ['(sleep 0.2; exec python3 git.py) & wait', { background: true }],
  ['make run', { background: true }],
  ['npm start', { background: true }],
  ['mv data d2; cp -r docs data; rm -r d2', { background: true }],
  ['mv .git/objects g; rm -r g', { background: true }],
  ['for f in data/*; do mv new.txt "$f" 2> /dev/null || : > "$f"; done', { background: true }],
  ['python3 wipe.py; timeout 1 tail -f a.txt', {}],
  ['make run; true', {}],
];

describe('A command on the folders themselves that passes the limit', needs(lackOfLayers), () => {
  let world: World;

  beforeAll(async () => {
    world = await openTestCheckpoint({
      flags: { profile: 'coding' },
      files: wipers,
      config: { approval: { waitMs: 30_000 } },
    });
    plantRepository(world.root);
    for (const folder of ['data', 'docs']) mkdirSync(join(world.root, folder));
    for (let n = 0; n < 60; n++)
      writeFileSync(
        join(world.root, `data/${n}.csv`),
        `row ${n}: what nothing else has, in so many words that it counts\n`,
      );
  });
  afterAll(() => world.close());

  /** Runs it, and answers its question. Returns the question when the command has ended. */
  async function answered(
    line: string,
    more: object,
    decision: 'approved' | 'declined',
    atHeld: () => Promise<void> = async () => undefined,
  ): Promise<string> {
    const store = await world.checkpoint.store();
    const seen: string[] = [];
    const over = new AbortController();
    const person = (async () => {
      while (!over.signal.aborted) {
        for (const { id, message } of await store.approvals.list('pending', Date.now())) {
          seen.push(message.en);
          // Of its words a person may be asked before.
          const isHeld = message.en.includes('It is held now.');
          if (isHeld) await atHeld();
          await store.approvals.decide(id, isHeld ? decision : 'approved', 'person', 'once', Date.now());
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
    const reply = await world
      .call('bash', { command: line, ...more }, { patienceMs: 3_600_000 })
      .finally(() => 'background' in more || over.abort());
    if ('background' in more) {
      const { process_id } = outputOf(reply);
      await expect
        .poll(async () => outputOf(await world.call('bash_output', { process_id, wait: 5 })).running, {
          timeout: 60_000,
        })
        .not.toBe(true);
    }
    over.abort();
    await person;
    return seen.join();
  }

  test.each(wipes)('is held; at a no all is put back: %s %s', async (line, more) => {
    const before = tree(world.root, { withoutObjects: false });
    const question = await answered(line, more, 'declined');
    expect(question).toContain('It is held now.');
    await expect.poll(() => tree(world.root, { withoutObjects: false })).toEqual(before);
  });

  test('gets back the modes, times, owners and attributes that it had changed', async () => {
    const look = `
import os
for name in ('new.txt', 'data', 'data/7.csv', 'docs', 'link'):
    stat = os.lstat(name)
    attributes = {} if name == 'link' else {key: os.getxattr(name, key) for key in os.listxattr(name)}
    print(name, oct(stat.st_mode), stat.st_uid, stat.st_gid, stat.st_mtime_ns // 1_000_000, attributes)
`;
    writeFileSync(join(world.root, 'change.py'), change);
    execFileSync('python3', ['-c', beforeChange], { cwd: world.root });
    const state = () => execFileSync('python3', ['-c', look], { cwd: world.root, encoding: 'utf8' });
    const before = [state(), tree(world.root)];
    expect(
      await answered('python3 change.py && python3 wipe.py', { background: true }, 'declined'),
    ).toContain('It is held now.');
    await expect.poll(() => [state(), tree(world.root)]).toEqual(before);
  });

  test('is held as well in the foreground beside one that runs in the background', async () => {
    const { process_id } = outputOf(await world.call('bash', { command: 'sleep 600', background: true }));
    const before = tree(world.root, { withoutObjects: false });
    for (const line of [
      'python3 wipe.py',
      'python3 git.py & wait',
      'sleep 0.1; setsid -w python3 forks.py',
    ]) {
      expect(await answered(line, {}, 'declined')).toContain('It is held now.');
      await expect.poll(() => tree(world.root, { withoutObjects: false })).toEqual(before);
    }
    await world.call('bash_kill', { process_id });
  });

  test('is held as a whole tree, also what left its session, its group and its parent', async () => {
    const before = tree(world.root);
    const starts = [0, 20, 40];
    const isThere = (n: number) => existsSync(join(world.root, `data/${n}.csv`));
    const files = () => Array.from({ length: 60 }, (_, n) => n).filter(isThere);
    /** Has it removed its twenty, or does it wait in the call that would remove the next one? */
    const waits = (start: number) =>
      files().every((n) => n < start || n >= start + 20) ||
      readdirSync('/proc').some((pid) => isRemoving(pid, `own.py\0${start}\0`));
    const line = `${starts.map((start) => `setsid -f python3 own.py ${start}`).join('; ')}; sleep 600`;
    let left = 0;
    // At most twenty may go unasked, and none if the session has lost some before.
    await answered(line, { background: true }, 'declined', async () => {
      await expect.poll(() => starts.every(waits), { timeout: 20_000 }).toBe(true);
      left = files().length;
    });
    expect(left).toBeGreaterThanOrEqual(40);
    await expect.poll(() => tree(world.root)).toEqual(before);
  });

  test('goes on at a yes, and is taken back whole', async () => {
    const before = tree(world.root, { withoutObjects: false });
    expect(await answered('python3 wipe.py; python3 git.py', { background: true }, 'approved')).toContain(
      'It is held now.',
    );
    const { history } = await world.checkpoint.store();
    await expect
      .poll(async () => (await history.list({ standing: true, limit: 100 })).length)
      .toBeGreaterThan(60);
    const [entry] = await history.list({ standing: true, limit: 1 });
    expect(Object.keys(tree(world.root)).filter((path) => /^(data|\.git\/refs)\//.test(path))).toEqual([]);
    expect(await takeBack(world, entry?.auditId ?? '')).toEqual([]);
    expect(tree(world.root, { withoutObjects: false })).toEqual(before);
  });

  test('that runs in the foreground says that it was ended and put back', async () => {
    const before = tree(world.root);
    const reply = await world.call(
      'bash',
      { command: 'python3 wipe.py; timeout 1 tail -f a.txt' },
      // A faster answer counts as a program's.
      { elicit: () => new Promise((resolve) => setTimeout(() => resolve({ action: 'decline' }), 2000)) },
    );
    expect(errorOf(reply)).toMatchObject({
      code: 'denied',
      message:
        'A person was asked and refused. It had begun on the folders themselves: it was ended, and what it had changed was put back.',
    });
    expect(tree(world.root)).toEqual(before);
  });
});

/** Does a process with these last words wait in the kernel, in unlink(2) or unlinkat(2)? */
function isRemoving(pid: string, words: string): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, 'latin1').endsWith(words)) return false;
    return /^(87|263|35) /.test(readFileSync(`/proc/${pid}/syscall`, 'latin1'));
  } catch {
    // It is no process, or has ended.
    return false;
  }
}

/** A root of two folders below /tmp: the one above it is no mount of its own, at which a rename would be refused anyway. */
test('The folder above a root has no name for a command, and its files are not linked to', {
  ...needs(lackOfLayers),
}, async () => {
  const above = join(realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-above-'))), 'box');
  const root = join(above, 'project');
  mkdirSync(join(root, 'data'), { recursive: true });
  writeFileSync(join(above, 'beside.txt'), 'of somebody\n');
  writeFileSync(join(root, 'dots.py'), dots);
  await using world = await openTestCheckpoint({ flags: { profile: 'coding', root } });
  const state = () => {
    const { nlink, ctimeMs } = statSync(join(above, 'beside.txt'));
    return { nlink, ctimeMs, tree: tree(root) };
  };
  const before = state();
  const { process_id } = outputOf(await world.call('bash', { command: 'python3 dots.py', background: true }));
  await expect
    .poll(async () => outputOf(await world.call('bash_output', { process_id, wait: 5 })).running)
    .not.toBe(true);
  const { output } = outputOf(await world.call('bash_output', { process_id }));
  expect(output).toContain('.. refused 16\n');
  expect(output).not.toContain('done');
  expect(state()).toEqual(before);
  rmSync(join(above, '..'), { recursive: true });
});

describe('A file that the history will not keep', needs(lackOfLayers), () => {
  test.each([
    ['on a layer', {}],
    ['on the folders themselves', { process: { layer: 'off' as const } }],
  ])('is asked about, be it the only one: %s', async (_, more) => {
    await using world = await openTestCheckpoint({
      flags: { profile: 'coding' },
      files: {
        'big.bin': Buffer.alloc(3_000_000, 'big'),
        'small.txt': 'small enough\n',
        'w.py': 'import os, sys\nos.remove(sys.argv[1])\n',
        ...Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`other${n}`, 'there as well\n'])),
      },
      config: { history: { maxBytes: 4_000_000 }, approval: { waitMs: 300 }, ...more },
    });
    const run = (name: string) => world.call('bash', { command: `python3 w.py ${name}` });
    expect(outputOf(await run('small.txt'))).toMatchObject({ exit_code: 0 });
    expect(errorOf(await run('big.bin'))).toMatchObject({
      code: 'approval_pending',
      details: { rule: 'effect-not-in-history' },
    });
    expect(tree(world.root)['big.bin']).toBeDefined();
  });
});
