import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import { createCommandJudge } from '../../src/judgement/judge.ts';
import { needs, sandbox } from '../support/needs.ts';

const judge = createCommandJudge();
const opened = new Map<string, ReturnType<typeof openWorld>>();

afterAll(async () => {
  for (const { commands, base } of opened.values()) {
    await commands.close();
    rmSync(base, { recursive: true, force: true });
  }
});

/** A folder for repositories, a person, and what runs commands: opening it costs more than most tests do. */
function openWorld(backend: 'bubblewrap' | 'landlock') {
  // Not below /tmp, which commands have of their own.
  const base = realpathSync(mkdtempSync('/var/tmp/sekisho-repository-'));
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
    'git init -q; echo a >a; git add a; git commit -qm first; echo b >b; git add b; git commit -qm second; cp -a . ../begun',
  );
  const told: string[] = [];
  const commands = new CommandRunner({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    backends: [backend],
    serverEnvironment: environment,
    remoteChanges: judge.remoteChanges,
    onDisarmed: (line) => told.push(line),
  });
  return { base, root, person, told, commands };
}

/** A repository that a person began, and commands in it. */
async function openRepository(backend: 'bubblewrap' | 'landlock') {
  const world = opened.get(backend) ?? openWorld(backend);
  opened.set(backend, world);
  const { root, person, told, commands } = world;
  // What was written in the same moment as a command could be its own.
  await sleep(50);
  person('rm -rf ../root.* ./* ./.[!.]*; cp -a ../begun/. .');
  told.length = 0;
  const session = commands.forSession(randomUUID());
  return {
    root,
    person,
    told,
    bash: (script: string) =>
      session.run(
        { kind: 'script', script, shell: 'bash' },
        { workingFolder: root, timeoutMs: 30_000, signal: new AbortController().signal },
      ),
  };
}

// What git does is the same in both, so that Landlock meets every third of it.
for (const backend of ['bubblewrap', 'landlock'] as const) {
  describe(backend, needs(sandbox(backend)), () => {
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
        [
          'keeps its settings',
          'git config user.name Eve; git config --add color.ui auto; git config user.name; git commit -q --allow-empty -m x; git log -1 --format=%an; git config --unset user.name; git config user.name Bob; git config branch.main.description "$(printf "two\\nlines ; # \\"q\\"")"; cat .git/config',
        ],
        [
          'keeps remotes and what follows them',
          'git init -q --bare far; git remote add up "$PWD/far"; git push -q -u up main; git checkout -q -b b --track up/main; git checkout -q -b c; git branch -q --set-upstream-to up/main; git branch -m d; git branch -q -D b; git remote rename up down; git pull -q; cat .git/config; git status',
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
      ].filter(
        ([what], at) =>
          backend === 'bubblewrap' ||
          (!what?.endsWith('the variables') && (process.env.SEKISHO_HAMMER || at % 3 === 0)),
      ),
    )('git %s as it does outside', async (_what = '', script = '') => {
      const { root, person, bash, told } = await openRepository(backend);
      person(`cp -a '${root}' '${root}.plain'`);
      const result = await bash(script);
      const plain = person(`cd '${root}.plain'; export HOME="$PWD.home"; cp -r ../home "$HOME"; ${script}`);
      expect([result.exitCode, result.stdout]).toEqual([0, plain.replaceAll('root.plain', 'root')]);
      expect(told).toEqual([]);
      expect(person('git fsck 2>&1; git status >/dev/null')).not.toMatch(/error|fatal/);
    });

    test('settings that a command may not write go, the others stay, and the reply says so', async () => {
      const { root, person, bash } = await openRepository(backend);
      person('echo "; by hand" >>.git/config; git remote add origin https://example.com/x');
      const { exitCode, stderr } = await bash(
        'git config user.name Eve; git config alias.x "!ls"; git config core.fsmonitor ./x; git remote set-url origin "$(echo https://elsewhere.example)"',
      );
      expect(exitCode).toBe(0);
      expect(stderr).toContain('[git: .git/config');
      const kept = readFileSync(join(root, '.git/config'), 'utf8');
      expect(kept).toContain('; by hand\n');
      expect(kept).toContain('name = Eve');
      expect(kept).not.toMatch(/alias|fsmonitor|elsewhere/);
    });

    test.each([
      ['git remote set-url origin https://new.example/x', 'origin https://new.example/x'],
      ['u=https://new.example/x; git remote set-url origin "$u"', 'origin https://new.example/x'],
      ['git remote rm origin; git remote add origin ssh://new.example/x', 'origin ssh://new.example/x'],
      ['git remote rename origin upstream', 'upstream https://old.example/x'],
      ['git config remote.origin.url ../other', 'origin ../other'],
      ['bash -c "git remote remove origin"', ''],
    ])('a remote gets the address that was asked about: %s', async (script, shown) => {
      const { person, bash, told } = await openRepository(backend);
      person('git remote add origin https://old.example/x');
      const { exitCode } = await bash(script);
      expect([exitCode, told]).toEqual([0, []]);
      const remotes = person('git remote -v')
        .split('\n')
        .filter((line) => line.endsWith('(fetch)'));
      expect(remotes.map((line) => line.replace('\t', ' ').replace(' (fetch)', '')).join()).toBe(shown);
    });

    test.each([
      'git remote set-url origin https://new.example/x; sed -i s/new.example/evil.example/ .git/config',
      'git remote set-url other https://evil.example/x 2>/dev/null; printf "[remote \\"origin\\"]\\n\\turl = https://evil.example/x\\n" >>.git/config',
      'git remote set-url origin "$(printf https://evil.example/x)"',
      'git remote set-url origin ext::evil.example',
      'git remote set-url origin --upload-pack=evil.example',
      'git remote set-url origin https://new.example/x; git config remote.origin.uploadpack evil.example',
      'git remote set-url second https://evil.example/x; git config remote.origin.url "$(git remote get-url second)"',
      'echo git remote set-url origin https://evil.example/x >/dev/null; git config remote.origin.url "$(echo https://evil.example/x)"',
    ])('no other address than that comes with it: %s', async (script) => {
      const { root, person, bash } = await openRepository(backend);
      person('git remote add origin https://old.example/x; git remote add second https://two.example/x');
      await bash(script);
      const first = /\[remote "origin"\][^[]*/.exec(readFileSync(join(root, '.git/config'), 'utf8'))?.[0];
      expect(first).not.toContain('evil');
      expect(person('git config --get-all remote.origin.url')).not.toContain('evil');
    });

    test('a repository that was copied whole has settings of its own', async () => {
      const { root, person, bash, told } = await openRepository(backend);
      person('git remote add origin https://old.example/x; mkdir sub');
      const { stdout } = await bash(
        'cp -a .git sub/.git; cp -a sub twice; git -C twice remote get-url origin',
      );
      expect([stdout, told]).toEqual(['https://old.example/x\n', []]);
      for (const folder of ['sub', 'twice']) {
        expect(lstatSync(join(root, folder, '.git/config')).isFile()).toBe(true);
        expect(person(`git -C ${folder} remote get-url origin`)).toBe('https://old.example/x\n');
      }
      person('git config core.fsmonitor ./x; mkdir third');
      await bash('cp -a .git third/.git');
      expect(readFileSync(join(root, 'third/.git/config'), 'utf8')).not.toContain('fsmonitor');
      expect(person('git config core.fsmonitor')).toBe('./x\n');
    });

    test('what a command planted lies beside its place, and the reply says so', async () => {
      const { root, bash, told } = await openRepository(backend);
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
      const { root, person, bash, told } = await openRepository(backend);
      const plant = (folder: string) =>
        person(
          `mkdir -p ${folder}/.git/hooks; echo '#!/bin/sh' >${folder}/.git/hooks/pre-push; git -C ${folder} config alias.x !ls`,
        );
      plant('.');
      person('git init -q below');
      plant('below');
      // What was written in the same moment as a command could be its own.
      await sleep(50);
      await bash('true');
      person('git init -q later');
      plant('later');
      person('git config alias.y !ls');
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

describe('bubblewrap', needs(sandbox('bubblewrap')), () => {
  const setFsmonitor = 'git config core.fsmonitor ./evil';

  test('a git of the person reads nothing of what a command that still runs has written', async () => {
    const { person, bash, root } = await openRepository('bubblewrap');
    const running = bash(`${setFsmonitor}; git config user.name Eve; touch written; sleep 2`);
    while (!existsSync(join(root, 'written'))) await sleep(20);
    expect(person('git config --list --local')).not.toMatch(/fsmonitor|Eve/);
    expect((await running).stderr).toContain('.git/config has no core.fsmonitor');
    expect(person('git config --list --local')).toMatch(/user.name=Eve/);
  });

  test('the person and a command write at once: each finds what they wrote', async () => {
    const { person, bash, root } = await openRepository('bubblewrap');
    const running = bash('git config user.name Eve; git config color.ui never; touch written; sleep 1');
    while (!existsSync(join(root, 'written'))) await sleep(20);
    person('git config user.email new@example.com; git config alias.st status; git config color.ui always');
    expect((await running).stderr).toContain('somebody else changed the same meanwhile');
    const kept = person('git config --list --local');
    expect(kept).toMatch(/user.name=Eve/);
    expect(kept).toContain('user.email=new@example.com\n');
    expect(kept).toContain('alias.st=status\n');
    expect(kept).toMatch(/color.ui=always/);
  });

  test('hooks that the person writes while a command runs stay', async () => {
    const { person, bash, root, told } = await openRepository('bubblewrap');
    person('mkdir -p .git/hooks');
    const running = bash('touch written; sleep 1');
    while (!existsSync(join(root, 'written'))) await sleep(20);
    person('echo "echo mine" >.git/hooks/pre-push');
    await running;
    expect([person('cat .git/hooks/pre-push'), told]).toEqual(['echo mine\n', []]);
  });

  test.each([
    ['nothing', 'rm "$c"'],
    ['a link', 'ln -sf /etc/passwd "$c"'],
    ['a link to a file of the root', 'printf "[alias]\\nx = !y\\n" >x; ln -sf "$PWD/x" "$c"'],
    ['a folder', 'rm "$c"; mkdir "$c"'],
    ['a pipe', 'rm "$c"; mkfifo "$c"'],
    ['ten megabytes', 'head -c 10000000 /dev/zero | tr "\\0" "\\n" >>"$c"'],
    ['no settings', 'echo "[core" >"$c"'],
    ['bytes that end a text', 'printf "[user]\\n\\tname = a\\0b\\n" >"$c"'],
  ])('%s in place of the settings leaves them as they were', async (_what, script) => {
    const { person, bash, told } = await openRepository('bubblewrap');
    const before = person('cat .git/config; ls -l .git');
    const { stderr } = await bash(`c=$(readlink .git/config); ${script}`);
    expect(stderr).toContain('.git/config is as it was');
    expect(told).toHaveLength(1);
    expect(person('cat .git/config; ls -l .git')).toBe(before);
  });

  test('a lock that is left behind holds nobody up', async () => {
    const { person, bash } = await openRepository('bubblewrap');
    const { stderr } = await bash('c=$(readlink .git/config); git config user.name Eve; touch "$c.lock"');
    expect(stderr).toBe('');
    expect(person('git config user.name; git config user.name Bob; git config user.name')).toBe('Eve\nBob\n');
  });

  test('settings under a lock of somebody else stay, and the reply says so', async () => {
    const { person, bash } = await openRepository('bubblewrap');
    const { stderr } = await bash('git config user.name Eve; touch .git/config.lock');
    expect(stderr).toContain('somebody holds config.lock');
    expect(person('git config user.name')).toBe('Person\n');
  });

  test.each([
    'mv .git/config x',
    'rm -f .git/config',
    'ln .git/config x && printf "[alias]\\nx = !y\\n" >>x',
    'mv .git x',
    'mv .git/config.lock .git/config',
    'umount .git/config',
    'unshare -rm umount .git/config',
  ])('%s reaches not the settings themselves', async (script) => {
    const { person, bash } = await openRepository('bubblewrap');
    const before = person('cat .git/config; stat -c %i .git/config');
    await bash(
      `printf "[alias]\\nx = !y\\n" >.git/config.lock; ${script}; printf "[alias]\\nx = !y\\n" >>.git/config`,
    );
    expect(person('cat .git/config; stat -c %i .git/config')).toBe(before);
  });

  test('a command keeps no right of the program that mounts, and no descriptor', async () => {
    const { bash } = await openRepository('bubblewrap');
    const { stdout } = await bash(
      'readlink .git/config; grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status; ls /proc/self/fd | wc -l; unshare -m true || echo refused; ls -A / | grep git',
    );
    expect(stdout.replace(/\t/g, ' ').replace(/(?<=settings\/)[\da-f]{16}/, 'HASH')).toBe(
      [
        '/.git-settings/HASH/config',
        ...['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'].map((name) => `Cap${name}: 0000000000000000`),
        'NoNewPrivs: 1',
        'Seccomp: 2',
        '4',
        'refused',
        '.git-links',
        '.git-settings',
        '',
      ].join('\n'),
    );
  });
});
