import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';
import { changedBy, differing, onLayer, plantRepository, runIn, takeBack, tree } from './layer-world.ts';

const programs = process.env.SEKISHO_HAMMER ? Number(process.env.SEKISHO_RUNS ?? 1000) : 4;

const path = fc.constantFrom(
  'a.txt',
  'b.bin',
  'd1',
  'd1/x',
  'd1/d2',
  'd1/d2/y',
  'e',
  'n',
  'n/m',
  "'s p'",
  'l',
  'loose.txt',
);
const words = fc.constantFrom('one', 'two\\n', '', '日本', '\\0\\377');
const onFiles = [
  fc.tuple(path, words).map(([to, text]) => `mkdir -p "$(dirname ${to})"; printf '${text}' > ${to}`),
  fc.tuple(path, words).map(([to, text]) => `printf '${text}' >> ${to}`),
  fc.tuple(path, fc.constantFrom(0, 1, 5000)).map(([to, size]) => `truncate -s ${size} ${to}`),
  path.map((to) => `rm -r ${to}`),
  path.map((to) => `mkdir -p ${to}`),
  path.map((to) => `rm -r ${to}; mkdir ${to}; echo in > ${to}/in`),
  path.map((to) => `rm -r ${to}; echo flat > ${to}`),
  // A folder that is copied into itself gets what cp happened to meet first.
  fc
    .tuple(path, path)
    .filter(([from, to]) => !`${to}/`.startsWith(`${from}/`))
    .map(([from, to]) => `cp -a ${from} ${to}`),
  fc
    .tuple(path, path)
    .map(([from, to]) => `test -f ${from} && cp ${from} t.tmp && cat t.tmp > ${to}; rm -f t.tmp`),
  fc.tuple(path, path).map(([from, to]) => `ln ${from} ${to}`),
  fc.tuple(path, path).map(([from, to]) => `ln -s ${from} ${to}`),
  fc.tuple(path, fc.constantFrom('600', '755', '444', '700')).map(([to, mode]) => `chmod ${mode} ${to}`),
  path.map(
    (to) => `truncate -s 1M ${to} && printf end | dd of=${to} bs=1 seek=500000 conv=notrunc status=none`,
  ),
];
const moves = fc
  .tuple(path, path)
  .map(([from, to]) => `python3 -c "import os; os.rename(${q(from)}, ${q(to)})"`);
const byGit = fc.constantFrom(
  'git add -A && git commit -qm three',
  'git checkout -q -f side',
  'git reset -q --hard HEAD~1',
  'git stash -q',
  'git clean -qfdx',
  'git checkout -q -b more',
  'git rm -rq --cached d1',
  'git branch -q -D side',
  'git tag v1',
);
// What moves a folder runs on the folders themselves, where nobody looks at what git keeps.
const program = fc.oneof(
  fc.array(fc.oneof(...onFiles, byGit), { minLength: 1, maxLength: 8 }),
  fc.array(fc.oneof(...onFiles, moves), { minLength: 1, maxLength: 8 }),
);

const day = [
  'git add -A && git commit -qm three',
  'git commit -qa --amend -m other',
  'git stash -q && git checkout -q side && echo s > s && git add s && git commit -qm side && git rebase -q main',
  'git reset -q --hard HEAD~1',
  'git clean -qfdx',
  'git stash -q -u',
  'git stash -q && git stash drop -q',
  'git checkout -q -f side',
  'git branch -q -D side',
];

/** With no more rights than in a sandbox: root may write where modes say that nobody may. */
const plainly = ['--dev-bind', '/', '/', '--cap-drop', 'ALL', 'bash', '--norc', '--noprofile', '-c'];

function q(name: string): string {
  return name.startsWith("'") ? name : `'${name}'`;
}

/** What git says of a repository, but for times and names of commits. */
function gitWords(root: string): string {
  return execFileSync(
    'bash',
    [
      '-c',
      'cd "$1" && git status --porcelain; git log --all --format="%s %T" | sort; git branch --format="%(refname)"; git stash list --format=%gs; git fsck 2>&1 | grep -v dangling || true',
      '-',
      root,
    ],
    { encoding: 'utf8', env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' } },
  );
}

describe('on a layer', needs(lackOfLayers), () => {
  let world: Awaited<ReturnType<typeof openTestCheckpoint>>;
  beforeAll(async () => {
    world = await openTestCheckpoint(onLayer);
    plantRepository(world.root);
    // Its index says when files were looked at: as it is from now on.
    execFileSync('git', ['-C', world.root, 'status'], { stdio: 'pipe' });
  });
  afterAll(() => world.close());

  test(`${programs} programs leave what a plain run leaves, the record names exactly that, and undo brings it back`, async () => {
    const before = tree(world.root);
    await fc.assert(
      fc.asyncProperty(program, async (operations) => {
        const plain = mkdtempSync('/var/tmp/sekisho-plain-');
        try {
          cpSync(world.root, plain, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
          const script = operations.join('\n');
          try {
            execFileSync('bwrap', [...plainly, script], { cwd: plain, stdio: 'pipe' });
          } catch {
            // The last of them failed, as it may.
          }
          const ran = await runIn(world, script);
          const after = tree(world.root);
          const left = tree(world.root, { withoutGit: true });
          expect({ ran, left }).toEqual({ ran, left: tree(plain, { withoutGit: true }) });
          expect(gitWords(world.root)).toBe(gitWords(plain));
          expect(await changedBy(world, ran.auditId)).toEqual(differing(before, after));
          expect(await takeBack(world, ran.auditId)).toEqual([]);
          expect(differing(before, tree(world.root))).toEqual([]);
        } finally {
          rmSync(plain, { recursive: true, force: true });
        }
      }),
      // One that fails leaves its tree behind: smaller ones would fail for that.
      {
        numRuns: programs,
        endOnFailure: true,
        ...(process.env.SEKISHO_SEED && { seed: Number(process.env.SEKISHO_SEED) }),
      },
    );
  }, 3_600_000);

  test('a day of git: each command is taken back, and the repository is whole', async () => {
    const before = tree(world.root);
    for (const command of day) {
      const ran = await runIn(world, command);
      expect({ command, code: ran.exit_code, stderr: ran.stderr }).toEqual({ command, code: 0, stderr: '' });
      expect(differing(before, tree(world.root))).not.toEqual([]);
      expect(await takeBack(world, ran.auditId)).toEqual([]);
      expect({ command, differing: differing(before, tree(world.root)) }).toEqual({ command, differing: [] });
    }
    execFileSync('git', ['-C', world.root, 'fsck', '--strict'], { stdio: 'pipe' });
  });

  test('a folder that a link took the place of is brought back with what was in it', async () => {
    const before = tree(world.root);
    const ran = await runIn(world, 'rm -r d1 && ln -s l d1');
    expect(await takeBack(world, ran.auditId)).toEqual([]);
    expect(differing(before, tree(world.root))).toEqual([]);
  });

  test('what somebody changed since is left as it is, and nothing of the call is taken back', async () => {
    const ran = await runIn(world, 'git add -A && git commit -qm three && echo made > made');
    execFileSync('git', ['-C', world.root, 'commit', '-q', '--allow-empty', '-m', 'a person'], {
      stdio: 'pipe',
    });
    const before = tree(world.root);
    expect(await takeBack(world, ran.auditId)).toContain('conflict .git/refs/heads/main');
    expect(differing(before, tree(world.root))).toEqual([]);
    execFileSync('git', ['-C', world.root, 'fsck', '--strict'], { stdio: 'pipe' });
  });

  test('a folder in the place of a file goes with what the call put there, and with what others did nothing of the call', async () => {
    const start = tree(world.root);
    writeFileSync(join(world.root, 'was'), 'file');
    const ran = await runIn(world, 'echo x > beside; rm was; mkdir -p was/in; echo 1 > was/in/one');
    writeFileSync(join(world.root, 'was/in/two'), 'a person');
    const before = tree(world.root);
    expect(await takeBack(world, ran.auditId)).toEqual(['conflict was']);
    expect(differing(before, tree(world.root))).toEqual([]);
    rmSync(join(world.root, 'was/in/two'));
    expect(await takeBack(world, ran.auditId)).toEqual([]);
    expect(readFileSync(join(world.root, 'was'), 'utf8')).toBe('file');
    rmSync(join(world.root, 'was'));
    expect(differing(start, tree(world.root))).toEqual([]);
  });
});
