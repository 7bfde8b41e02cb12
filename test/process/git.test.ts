import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { openCommands } from '../../src/confine/process/commands.ts';
import { workingSandboxes } from './working-sandboxes.ts';

const working = await workingSandboxes();
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A repository that a person began, and commands in it. */
function openRepository(backend: 'bubblewrap' | 'landlock') {
  // Not below /tmp, which commands have of their own.
  const base = realpathSync(mkdtempSync('/var/tmp/sekisho-repository-'));
  closing.push(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'root');
  const home = join(base, 'home');
  mkdirSync(root);
  mkdirSync(join(home, '.config/git'), { recursive: true });
  writeFileSync(
    join(home, '.gitconfig'),
    '[user]\n\tname = Person\n\temail = person@example.com\n[init]\n\tdefaultBranch = main\n[alias]\n\tst = !touch /var/tmp/x\n',
  );
  writeFileSync(join(home, '.config/git/ignore'), '*.swp\n');
  const environment = { PATH: process.env.PATH ?? '', HOME: home };
  const person = (script: string) =>
    execFileSync('bash', ['-ec', script], { cwd: root, env: environment, encoding: 'utf8', stdio: 'pipe' });
  person(
    'git init -q; echo a >a; git add a; git commit -qm first; echo b >b; git add b; git commit -qm second',
  );
  const told: string[] = [];
  const commands = openCommands({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    backends: [backend],
    serverEnvironment: environment,
    onDisarmed: (line) => told.push(line),
  });
  closing.push(() => commands.close());
  return {
    root,
    person,
    told,
    bash: (script: string) =>
      commands
        .forSession('s')
        .run(
          { kind: 'script', script, shell: 'bash' },
          { workingFolder: root, timeoutMs: 30_000, signal: new AbortController().signal },
        ),
  };
}

for (const backend of ['bubblewrap', 'landlock'] as const) {
  const title = working.has(backend) ? backend : `${backend} (skipped: it does not work here)`;
  describe.skipIf(!working.has(backend))(title, () => {
    test.each(
      [
        ['adds and commits', 'echo c >c; git add c; git commit -qm third; git log --format=%s'],
        ['commits as the person', 'git commit -q --allow-empty -m x; git log -1 --format="%an %ae %cn"'],
        [
          'commits as who the command says',
          'git -c user.name=Bob commit -q --allow-empty -m x; git log -1 --format=%an',
        ],
        ['branches and switches', 'git checkout -q -b topic; git switch -q -c other; git branch --list'],
        [
          'follows a branch',
          'git branch -q topic; git checkout -q -b mine --track topic; git branch --show-current',
        ],
        ['deletes branches', 'git branch -q topic; git branch -q -D topic; git branch --list'],
        ['stashes', 'echo x >>a; git stash -q; git status --short; git stash pop -q; git status --short'],
        [
          'merges',
          'git checkout -q -b t HEAD~1; echo t >t; git add t; git commit -qm t; git checkout -q main; git merge -q -m m t; ls',
        ],
        [
          'rebases',
          'git checkout -q -b t HEAD~1; echo t >t; git add t; git commit -qm t; git rebase -q main; ls; git log --format=%s',
        ],
        [
          'picks, reverts and resets',
          'git revert --no-edit HEAD >/dev/null; git cherry-pick HEAD~1 >/dev/null 2>&1; git reset -q --soft HEAD~1; git log --format=%s; git status --short',
        ],
        ['tags and describes', 'git tag v1; git tag -a v2 -m two; git describe; git tag'],
        ['packs', 'git gc -q; git fsck; git count-objects'],
        [
          'makes repositories',
          'git init -q new; cd new; git config user.email me@example.com; git remote add origin https://example.com/x.git; git commit -q --allow-empty -m n; git remote -v; git log --format=%ae',
        ],
        [
          'clones',
          'git clone -q . copy; cd copy; git checkout -q -b t origin/main; git log --format=%s; git status',
        ],
        [
          'works in linked worktrees',
          'git worktree add -q -b w wt; cd wt; echo w >w; git add w; git commit -qm w; git log --format=%s; cd ..; git worktree remove wt; git worktree list | wc -l',
        ],
        ['leaves out what the person ignores', 'touch a.swp; git status --short'],
        [
          'runs without the variables',
          'env -i PATH="$PATH" git status; env -i PATH="$PATH" git log --format=%s',
        ],
        [
          'keeps settings of its own for the session',
          'export HOME=$HOME; git config --global core.abbrev 7; git config --get core.abbrev',
        ],
      ].filter(([what]) => backend === 'bubblewrap' || !what?.endsWith('the variables')),
    )('git %s as it does outside', async (_what = '', script = '') => {
      const { root, person, bash, told } = openRepository(backend);
      person(`cp -a '${root}' '${root}.plain'`);
      const result = await bash(script);
      const plain = person(`cd '${root}.plain'; export HOME="$PWD.home"; cp -r ../home "$HOME"; ${script}`);
      expect([result.exitCode, result.stdout]).toEqual([0, plain.replaceAll('root.plain', 'root')]);
      expect(told).toEqual([]);
      expect(person('git fsck 2>&1; git status >/dev/null')).not.toMatch(/error|fatal/);
    });

    test('what a command planted lies beside its place, and the reply says so', async () => {
      const { root, bash, told } = openRepository(backend);
      const { stderr } = await bash(
        'git init -q new; echo "echo ran" >new/.git/hooks/pre-commit; git -C new config alias.x !ls',
      );
      expect(stderr).toContain(
        'new/.git/hooks/pre-commit would have run or redirected git outside the sandbox',
      );
      expect(readFileSync(join(root, 'new/.git/hooks/pre-commit.disarmed'), 'utf8')).toBe('echo ran\n');
      expect(readFileSync(join(root, 'new/.git/config'), 'utf8')).not.toContain('alias');
      expect(told).toHaveLength(2);
    });

    test('what a person has stays, and what they write between commands', async () => {
      const { root, person, bash, told } = openRepository(backend);
      const plant = (folder: string) =>
        person(
          `mkdir -p ${folder}/.git/hooks; echo '#!/bin/sh' >${folder}/.git/hooks/pre-push; git -C ${folder} config alias.x !ls`,
        );
      plant('.');
      person('git init -q below');
      plant('below');
      await bash('true');
      person('git init -q later');
      plant('later');
      person('git config alias.y !ls');
      // What was written in the same moment as a command could be its own.
      await sleep(50);
      await bash(
        'git -C later status; git -C below commit -q --allow-empty -m x; git commit -q --allow-empty -m x',
      );
      expect(told).toEqual([]);
      const kept = person(
        'cat .git/config below/.git/config later/.git/config; ls */.git/hooks/pre-push .git/hooks/pre-push',
      );
      expect(kept.match(/x = !ls/g)).toHaveLength(3);
      expect(readFileSync(join(root, '.git/config'), 'utf8')).toContain('y = !ls');
    });
  });
}

describe.skipIf(!working.has('bubblewrap'))('bubblewrap', () => {
  test('the settings of the repository are read-only, and the reply says what to do', async () => {
    const { bash, person } = openRepository('bubblewrap');
    const before = person('cat .git/config');
    const { exitCode, stderr } = await bash('git config user.name Eve');
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('`git config --global` holds for the session');
    expect(person('cat .git/config')).toBe(before);
  });
});
