import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/open-checkpoint.ts';
import { loadSettings } from '../../src/config/load.ts';
import { readPersonConfig } from '../../src/git/person-config.ts';
import { needs } from '../support/needs.ts';
import { outputOf } from '../support/open-test-checkpoint.ts';
import { lackOfLayers } from './working-layers.ts';

/* What a person set for git holds for commands, or the reply says that it does not. */

/** Stands for a filter that encrypts: letters change places. */
const rot = "tr 'a-zA-Z' 'n-za-mN-ZA-M'";

async function openWorld(gitconfig: string) {
  const base = realpathSync(mkdtempSync('/var/tmp/sekisho-git-settings-'));
  const [root, home] = [join(base, 'root'), join(base, 'home')];
  mkdirSync(root);
  mkdirSync(join(home, '.config/git'), { recursive: true });
  const own = '[user]\n\tname = Ann\n\temail = ann@home.example\n[init]\n\tdefaultBranch = main\n';
  writeFileSync(join(home, '.gitconfig'), own + gitconfig);
  const environment = { HOME: home, PATH: process.env.PATH, LANG: 'C.UTF-8', GIT_CONFIG_SYSTEM: '/dev/null' };
  // What a person's git reads is asked of the server's own environment.
  const before = process.env.HOME;
  Object.assign(process.env, { HOME: home, GIT_CONFIG_SYSTEM: '/dev/null' });
  const person = (script: string) =>
    execFileSync('bash', ['-ec', script], { cwd: root, env: environment, encoding: 'utf8', stdio: 'pipe' });
  person('git init -q');
  const checkpoint = await openCheckpoint(
    loadSettings({ root, state: join(base, 'state'), profile: 'coding' }, environment, root),
  );
  const call = async (input: object) =>
    outputOf(
      await checkpoint.gateway.call({
        tool: 'bash',
        input,
        arrival: { transport: 'stdio', connectionId: 'one' },
        signal: new AbortController().signal,
      }),
    );
  return {
    root,
    home,
    person,
    call,
    bash: (command: string) => call({ command }),
    leftOut: async () => (await (await checkpoint.rooms.commands()).gitSettings()).leftOut,
    async close() {
      await checkpoint.close();
      process.env.HOME = before;
      delete process.env.GIT_CONFIG_SYSTEM;
      rmSync(base, { recursive: true, force: true });
    },
  };
}

describe("a person's settings of git", needs(lackOfLayers), () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  beforeAll(async () => {
    world = await openWorld(
      [
        `[filter "rot"]\n\tclean = "${rot}"\n\tsmudge = "${rot}"\n\trequired = true`,
        `[filter "half"]\n\tclean = "${rot}"`,
        '[filter "gone"]\n\tclean = no-such-program-here\n\tsmudge = no-such-program-here',
        '[merge "ours"]\n\tdriver = true',
        '[commit]\n\tgpgsign = true\n[tag]\n\tgpgsign = true',
        '[url "https://git.example/"]\n\tinsteadOf = ex:',
        '[url "https://ann:secret@git.example/"]\n\tinsteadOf = mine:',
        '[alias]\n\tco = checkout -b\n\trun = !touch /tmp/x',
        '[init]\n\ttemplateDir = ~/template\n[credential]\n\thelper = store',
      ].join('\n'),
    );
    writeFileSync(join(world.home, '.config/git/attributes'), '*.everywhere filter=rot\n');
    world.person(
      "printf 'k filter=rot\\nh filter=half\\nm merge=ours\\ng filter=gone\\n' > .gitattributes; git add -A; git -c commit.gpgsign=false commit -qm i",
    );
  });
  afterAll(() => world.close());

  test.each(['k', 'h', 'x.everywhere'])('a filter holds for %s', async (name) => {
    const { stdout, stderr } = await world.bash(
      `echo top-secret > ${name}; git add ${name}; git show :${name}; rm ${name}; git checkout -q ${name}; cat ${name}`,
    );
    expect(stdout).toBe(`gbc-frperg\n${name === 'h' ? 'gbc-frperg' : 'top-secret'}\n`);
    expect(stderr).not.toContain('filter');
  });

  test('a filter that cannot run ends the command and is named; nothing is taken unfiltered', async () => {
    const { exit_code, stderr, stdout } = await world.bash('echo top-secret > g; git add g; git ls-files g');
    expect([exit_code, stdout]).toEqual([0, '']);
    expect(stderr).toContain(
      "[git: the filter gone of git's settings did not work in the sandbox, and no content passes git without it here]",
    );
    const fine = await world.bash('rm g; echo "clean filter x failed"');
    expect(fine.stderr).toBe('');
  });

  test('a commit without the hooks of the repository is told', async () => {
    const hook = join(world.root, '.git/hooks/commit-msg');
    mkdirSync(join(world.root, '.git/hooks'), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const { exit_code, stderr } = await world.bash('git commit -q --allow-empty -m d');
    expect([exit_code, String(stderr)]).toEqual([
      0,
      expect.stringContaining('[git: 1 commit made without the hooks commit-msg]\n'),
    ]);
    rmSync(hook);
    expect((await world.bash('git commit -q --allow-empty -m d')).stderr).not.toContain('hooks');
  });

  test.each([false, true])(
    'an unsigned commit and tag are told (beside a background command: %s)',
    async (isBeside) => {
      if (isBeside) await world.call({ command: 'sleep 60', background: true });
      const { stdout, stderr } = await world.bash(
        'git commit -q --allow-empty -m a; git commit -q --allow-empty -m b; git tag -a -m t v$RANDOM; git log -1 --format=%G?',
      );
      expect(stdout).toBe('N\n');
      expect(stderr).toContain(
        '[git: 2 commits are unsigned, though the settings sign them (commit.gpgsign)',
      );
      expect(stderr).toContain('[git: 1 tag unsigned, though the settings sign them (tag.gpgsign)');
      const amended = await world.bash('git commit -q --amend --allow-empty -m c');
      expect(amended.stderr).toContain('[git: 1 commit is unsigned,');
      // Nothing was committed.
      expect(
        (await world.bash('git log -1 --format=%s; git checkout -q HEAD~1; git checkout -q main')).stderr,
      ).toBe('');
    },
  );

  test('commits that others made are not told of', async () => {
    world.person(
      'git -c commit.gpgsign=false commit -q --allow-empty -m theirs --date=2001-01-01; git branch other',
    );
    const { stderr } = await world.bash(
      'sleep 1.1; git checkout -q -b new other~1; git merge -q --ff-only other',
    );
    expect(stderr).toBe('');
    world.person('git checkout -q main');
  });

  test('addresses that stand for others hold, those with a password do not', async () => {
    const { stdout } = await world.bash(
      'git ls-remote --get-url ex:a.git; git ls-remote --get-url mine:a.git; git config --system --list | grep -c secret',
    );
    expect(stdout).toBe('https://git.example/a.git\nmine:a.git\n0\n');
  });

  test('addresses of a host that commands reach over https stay there', async () => {
    const home = mkdtempSync('/var/tmp/sekisho-git-home-');
    const ways = ['git@git.example:', 'ssh://git.example/', 'git@other.example:', 'https://git.example/'];
    const lines = ways.map((way, index) => `[url "${way}"]\n\tpushInsteadOf = w${index}:\n`);
    writeFileSync(join(home, '.gitconfig'), lines.join(''));
    const environment = { HOME: home, PATH: process.env.PATH };
    const { config } = await readPersonConfig(home, environment, { overHttps: ['git.example'] });
    expect(config.match(/w\d/g)).toEqual(['w2', 'w3']);
    expect((await readPersonConfig(home, environment)).config.match(/w\d/g)).toHaveLength(4);
    rmSync(home, { recursive: true });
  });

  test('an alias says what it stands for, where that starts no program', async () => {
    expect((await world.bash('git co x')).stderr).toContain(
      "[git: co is an alias of the person's settings, which commands do not have; it stands for: git checkout -b]",
    );
    const { stderr } = await world.bash('git run');
    expect(stderr).toContain("[git: run is an alias of the person's settings, which commands do not have]");
    expect((await world.bash('git nothing-such')).stderr).not.toContain('alias of');
  });

  test('a repository made without the template is told, and all that is left out is listed', async () => {
    expect((await world.bash('git init -q new')).stderr).toContain(
      '[git: made without the template of the settings (init.templateDir)]',
    );
    expect((await world.bash('git status --short')).stderr).not.toContain('template');
    expect(existsSync(join(world.root, 'new/.git'))).toBe(true);
    expect(await world.leftOut()).toEqual([
      'commit.gpgsign',
      'tag.gpgsign',
      'url.….insteadof',
      'alias.co',
      'alias.run',
      'init.templatedir',
      'credential.helper',
    ]);
    expect(readFileSync(join(world.home, '.gitconfig'), 'utf8')).toContain('gpgsign');
  });
});

describe('without such settings', needs(lackOfLayers), () => {
  test('a commit says nothing', async () => {
    const world = await openWorld('');
    const { stderr } = await world.bash(
      'git commit -q --allow-empty -m a; git init -q new; git clone -q new copy 2>/dev/null; true',
    );
    expect(stderr).toBe('');
    expect(await world.leftOut()).toEqual([]);
    await world.close();
  });
});

describe('a root that is part of a repository elsewhere', needs(lackOfLayers), () => {
  test.each(['linked worktree', 'submodule'])(
    '%s: the hint names the folder, and with it git works',
    async (kind) => {
      const base = realpathSync(mkdtempSync('/var/tmp/sekisho-worktree-'));
      const environment = {
        HOME: base,
        PATH: process.env.PATH,
        LANG: 'C.UTF-8',
        GIT_CONFIG_SYSTEM: '/dev/null',
      };
      const git = 'git -c user.name=A -c user.email=a@home.example -c protocol.file.allow=always';
      execFileSync(
        'bash',
        [
          '-ec',
          `git init -q -b main main; cd main; ${git} commit -q --allow-empty -m i; ${kind === 'submodule' ? `git init -q -b main ../sub; ${git} -C ../sub commit -q --allow-empty -m s; ${git} submodule --quiet add ../sub part; ${git} commit -qm p` : 'git worktree add -q ../part -b part'}`,
        ],
        { cwd: base, env: environment, stdio: 'pipe' },
      );
      const part = join(base, kind === 'submodule' ? 'main/part' : 'part');
      const config = join(base, 'sekisho.jsonc');
      const status = async (roots: readonly string[]) => {
        writeFileSync(config, JSON.stringify({ roots: roots.map((path) => ({ path })) }));
        const checkpoint = await openCheckpoint(
          loadSettings({ config, state: join(base, 'state'), profile: 'coding' }, environment, part),
        );
        const reply = await checkpoint.gateway.call({
          tool: 'bash',
          input: { command: `cd ${part} && git status --short --branch` },
          arrival: { transport: 'stdio', connectionId: 'one' },
          signal: new AbortController().signal,
        });
        await checkpoint.close();
        return outputOf(reply);
      };
      expect((await status([part])).stderr).toContain(
        `[git: this folder belongs to the repository in ${join(base, 'main')}, as a linked worktree or a submodule, and commands do not see that folder: the operator can serve it as a root as well (roots)]`,
      );
      const whole = await status([part, join(base, 'main')]);
      expect(whole).toMatchObject({
        exit_code: 0,
        // A submodule's branch may follow its origin.
        stdout: expect.stringMatching(
          kind === 'submodule' ? /^## main(\.\.\.origin\/main)?\n$/ : /^## part\n$/,
        ),
      });
      expect(whole.stderr).not.toContain('belongs to');
      rmSync(base, { recursive: true, force: true });
    },
  );

  test('a clone below the root works', async () => {
    const world = await openWorld('');
    world.person('git init -q src; git -C src commit -q --allow-empty -m i');
    const { stdout, stderr } = await world.bash(
      'git clone -q src dst; echo rc=$?; git -C dst log --format=%s',
    );
    expect([stdout, stderr]).toEqual([
      'rc=0\ni\n',
      expect.stringContaining('[layer: run again, and nothing of the run before was kept'),
    ]);
    await world.close();
  });
});
