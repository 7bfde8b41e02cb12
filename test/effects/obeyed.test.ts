import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { some } from '../support/some.ts';

/* Row: what editors, agents, shells and git obey comes in by no road on which a command made it. */

const coding = { flags: { profile: 'coding' }, config: { approval: { waitMs: 1 } } } as const;
const person = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=Ann', '-c', 'user.email=ann@home.example', ...args], {
    env: person,
    encoding: 'utf8',
  });

/** A repository of a person, with what editors obey in a commit, in an older one, and in a folder below. */
async function openWorld() {
  const world = await openTestCheckpoint(coding);
  const { root } = world;
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  git(root, 'init', '-q', '-b', 'main');
  for (const [key, value] of [
    ['user.name', 'Ann'],
    ['user.email', 'ann@home.example'],
  ] as const)
    git(root, 'config', key, value);
  write('src/a.ts', 'a\n');
  write('pkg/.vscode/settings.json', '{"first": 1}\n');
  write('pkg/.envrc', 'first\n');
  write('fixtures/evil/.vscode/tasks.json', 'inert there\n');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'one');
  write('pkg/.vscode/settings.json', '{"second": 2}\n');
  write('pkg/.envrc', 'second\n');
  git(root, 'commit', '-qam', 'two');
  const run = async (command: string) => {
    const reply = await world.call('bash', { command });
    return reply.kind === 'output' ? String(outputOf(reply).stderr) : JSON.stringify(reply);
  };
  return { ...world, write, run, has: (path: string) => existsSync(join(root, path)) };
}

const python = (path: string) =>
  `python3 -c "import os; p='${path}'; os.makedirs(os.path.dirname(p) or '.', exist_ok=True); open(p,'w').write('evil')"`;

describe('what is obeyed outside', needs(lackOfLayers), () => {
  test.each(
    some(3, [
      ['.vscode/tasks.json', [python('.vscode/tasks.json')]],
      [
        '.mcp.json',
        [
          'echo evil > note; git add note; git commit -qm n',
          "python3 -c \"import shutil; shutil.copy('note','.mcp.json')\"",
        ],
      ],
      ['.vscode/tasks.json', [python('t/.vscode/tasks.json'), 'mv t/.v* .']],
      ['t/.vscode/tasks.json', [python('t/.vscode/tasks.json')]],
      ['.vscode', ['mkdir t; echo evil > t/tasks.json', 'mv t .vscode']],
      ['.vscode', ['mkdir t; echo evil > t/tasks.json; ln -s t .vscod""e']],
      [
        '.claude/settings.json',
        [
          'mkdir -p t/claude; echo evil > t/claude/settings.json; tar -C t --transform s/claude/.claude/ -cf x.tar claude; tar xf x.tar',
        ],
      ],
      [
        '.mcp.json',
        [
          'id=$(echo evil | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$id,.mcp.json; git commit -qm x',
          'git checkout -- .',
        ],
      ],
      [
        '.mcp.json',
        [
          'id=$(echo evil | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$id,.mcp.json; git commit -qm x; git rm -q --cached .mcp.json; git commit -qm y',
          'git checkout HEAD~1',
        ],
      ],
      [
        '.mcp.json',
        [
          'id=$(echo evil | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$id,.mcp.json; c=$(git commit-tree -m x $(git write-tree)); git reset -q; echo $c > c',
          'git branch b $(cat c)',
          'git checkout -q b',
        ],
      ],
      [
        '.mcp.json',
        [
          'git init -q other; cd other; git config user.name A; git config user.email a@b; echo evil > x; git add x; id=$(git hash-object x); git update-index --add --cacheinfo 100644,$id,.mcp.json; git commit -qm x',
          'git fetch -q ./other',
          'git checkout FETCH_HEAD',
        ],
      ],
      ['.mcp.json', ['echo evil > note; ln note .mcp.jso""n']],
      ['.vscode/tasks.json', ['cp -r fixtures/evil/.vscod* .']],
      ['pkg/sub/.bashrc', [python('pkg/sub/.bashrc')]],
      // To file systems that ignore case, a long s is an s; some ignore a joiner.
      ['.v\u017fcode/tasks.json', [python('.v\u017fcode/tasks.json')]],
      ['.env\u200drc', [python('.env\u200drc')]],
      ['.husky/pre-commit', ['mkdir h; echo evil > h/pre-commit', 'mv h .husky']],
      ['.envrc', ['echo evil > note; git add note; git commit -qm n; git mv note .envr""c']],
    ]),
  )('%s does not come in by %s', async (path, commands) => {
    const world = await openWorld();
    const said: string[] = [];
    for (const command of commands) said.push(await world.run(command));
    expect(world.has(path), said.join('\n')).toBe(false);
    await world.close();
  });

  test('what a person or a remote committed at this path comes back, and so does what was put away', async () => {
    const world = await openWorld();
    const { root } = world;
    const settings = () => readFileSync(join(root, 'pkg/.vscode/settings.json'), 'utf8');
    const envrc = () => readFileSync(join(root, 'pkg/.envrc'), 'utf8');
    expect(await world.run('git checkout -q HEAD~1')).toBe('');
    expect([settings(), envrc()]).toEqual(['{"first": 1}\n', 'first\n']);
    expect(await world.run('git checkout -q main')).toBe('');
    expect([settings(), envrc()]).toEqual(['{"second": 2}\n', 'second\n']);
    // A commit of a command on top changes nothing about what people committed.
    expect(
      await world.run('echo b > src/b.ts; git add -A; git commit -qm three; git checkout -q HEAD~2'),
    ).toBe('');
    expect(await world.run('git checkout -q main')).toBe('');
    world.write('pkg/.vscode/settings.json', '{"not": "committed"}\n');
    world.write('pkg/.envrc', 'not committed\n');
    expect(await world.run('git stash -q')).toBe('');
    expect(settings()).toBe('{"second": 2}\n');
    expect(await world.run('git stash pop -q')).toBe('');
    expect([settings(), envrc()]).toEqual(['{"not": "committed"}\n', 'not committed\n']);
    git(root, 'checkout', '-q', '.');
    expect(await world.run('git reset -q --hard HEAD~2; git reset -q --hard ORIG_HEAD')).toBe('');
    git(root, 'gc', '-q');
    expect(await world.run('git worktree add -q --detach wt main')).toBe('');
    expect(existsSync(join(root, 'wt/pkg/.vscode/settings.json'))).toBe(true);
    expect(await world.run('git clone -q --no-hardlinks . copy')).toBe('');
    expect(existsSync(join(root, 'copy/pkg/.vscode/settings.json'))).toBe(true);
    await world.close();
  });

  test('what is left out is named, and the rest of the command lands', async () => {
    const world = await openWorld();
    expect(await world.run(`mkdir -p t; echo 1 > t/kept; ${python('t/.vscode/tasks.json')}`)).toBe(
      '[layer: not written, as no tool writes it and a person has to: t/.vscode]\n',
    );
    expect(readFileSync(join(world.root, 't/kept'), 'utf8')).toBe('1\n');
    await world.close();
  });

  test("a commit that another server saw a command make is a command's here as well", async () => {
    const world = await openWorld();
    await world.run(
      'id=$(echo evil | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$id,.mcp.json; git commit -qm x',
    );
    const { openCheckpoint } = await import('../../src/checkpoint/open-checkpoint.ts');
    const next = await openCheckpoint(world.settings);
    await next.gateway.call({
      tool: 'bash',
      input: { command: 'git checkout -q -- .' },
      arrival: { transport: 'stdio', connectionId: 'next' },
      signal: new AbortController().signal,
    });
    expect(world.has('.mcp.json')).toBe(false);
    await next.close();
    await world.close();
  });
});

describe('what the vault keeps for itself beside a shell', needs(lackOfLayers), () => {
  test.each([
    ['removed', 'rm -rf vault/.system; rm -f vault/x'],
    [
      'renamed',
      "python3 -c \"import os; os.rename('vault/.system','vault/y')\"; mv vault/.system vault/z; true",
    ],
    ['taken along', 'mv vault vault2; true'],
    ['removed with the vault', 'rm -rf vault; true'],
    ['replaced', 'rm -rf vault; mkdir vault; echo n > vault/n; true'],
    [
      'removed by what runs on the folders themselves',
      'sleep 30 & rm -rf vault/.system; mv vault vault2; true',
      true,
    ],
  ])('it is not %s', async (_, command, isBeside = false) => {
    const world = await openWorld();
    world.write('vault/.system/notes.json', '{}\n');
    world.write('vault/a.md', 'a\n');
    if (isBeside) await world.call('bash', { command: 'sleep 60', background: true });
    await world.run(command);
    expect(readFileSync(join(world.root, 'vault/.system/notes.json'), 'utf8')).toBe('{}\n');
    await world.close();
  });

  test('notes themselves move', async () => {
    const world = await openWorld();
    world.write('vault/.system/notes.json', '{}\n');
    world.write('vault/a.md', 'a\n');
    git(world.root, 'add', '-A');
    expect(
      await world.run('git mv vault/a.md b.md; mv src/a.ts vault/a.ts; mkdir vault/sub; mv b.md vault/sub'),
    ).toBe('');
    expect([world.has('vault/sub/b.md'), world.has('vault/a.ts')]).toEqual([true, true]);
    await world.close();
  });
});
