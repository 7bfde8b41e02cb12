import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { tree } from './layer-world.ts';

/* Row: what editors, agents, shells and git obey comes in by no road of a command that runs on the folders themselves. */

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=Ann', '-c', 'user.email=ann@home.example', ...args], {
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
    encoding: 'utf8',
  });

/** A repository of a person with what editors obey, on two branches. */
function plant(root: string): void {
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
  write('.git/info/exclude', 'x.sh\n');
  write('a.txt', 'a\n');
  write('pkg/.vscode/settings.json', '{"first": 1}\n');
  write('pkg/.envrc', 'first\n');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'one');
  git(root, 'checkout', '-q', '-b', 'other');
  write('pkg/.vscode/settings.json', '{"second": 2}\n');
  write('pkg/.envrc', 'second\n');
  write('.husky/pre-commit', 'second\n');
  git(root, 'add', '-A');
  git(root, 'commit', '-qam', 'two');
  git(root, 'checkout', '-q', 'main');
}

/** Runs it to its end with a person who answers whatever is held. Returns their questions and what it printed. */
async function run(world: World, command: string, decision: 'approved' | 'declined', background: boolean) {
  const store = await world.checkpoint.store();
  const seen: string[] = [];
  const over = new AbortController();
  const person = (async () => {
    while (!over.signal.aborted) {
      for (const { id, message } of await store.approvals.list('pending', Date.now())) {
        const isHeld = message.en.includes('It is held now.');
        if (isHeld) seen.push(message.en);
        await store.approvals.decide(id, isHeld ? decision : 'approved', 'person', 'once', Date.now());
      }
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  })();
  // Unread: of its words nobody is asked.
  writeFileSync(join(world.root, 'x.sh'), `${command}\n`);
  try {
    const reply = await world.call('bash', { command: 'bash x.sh', ...(background && { background }) });
    let said = JSON.stringify(reply);
    if (background) {
      const { process_id } = outputOf(reply);
      const read = async () => {
        const got = outputOf(await world.call('bash_output', { process_id, wait: 2 }));
        said += JSON.stringify(got);
        return got.running;
      };
      await expect.poll(read).not.toBe(true);
    }
    return { question: seen.join('\n'), said };
  } finally {
    over.abort();
    await person;
  }
}

const python = (path: string, mode = 'w') =>
  `python3 -c "import os; p='${path}'; os.makedirs(os.path.dirname(p) or '.', exist_ok=True); open(p,'${mode}').write('evil')"`;

/** What a person is asked about, and then has not. */
const asked: readonly (readonly [road: string, path: string, command: string])[] = [
  ['a write', '.envrc', python('.envrc')],
  ['a write in a folder', '.husky/pre-commit', python('.husky/pre-commit')],
  ['a file that is appended to', 'pkg/.envrc', 'echo evil >> pkg/.envrc'],
  ['a file that is written in place', 'pkg/.envrc', python('pkg/.envrc', 'r+')],
  ['a rename', '.envrc', 'echo evil > t; mv t .envrc'],
  ['a rename with an open file', 'pkg/.envrc', 'echo first > t; exec 5>>t; mv t pkg/.envrc; echo evil >&5'],
  ['a hard link', '.envrc', 'echo evil > t; ln t .envrc'],
  ['a second name of a file', 'pkg/.envrc', 'ln pkg/.envrc t; echo evil > t'],
  ['a symbolic link', '.envrc', 'echo evil > t; ln -s t .envrc'],
  ['a folder that is renamed', '.husky/pre-push', 'mkdir t; echo evil > t/pre-push; mv t .husky'],
  [
    'a folder that holds one',
    '.cursor/rules/x',
    'mkdir -p t/.cursor/rules; echo evil > t/.cursor/rules/x; mv t/.c* .',
  ],
  [
    'a copy',
    '.claude/commands/x.md',
    'mkdir -p t/c/commands; echo evil > t/c/commands/x.md; cp -r t/c .claude',
  ],
  ['a pipe', '.envrc', 'mkfifo .envrc'],
  [
    'what git takes from its own commit',
    'pkg/.envrc',
    'git config user.email x@x.example 2>/dev/null; id=$(echo evil | git hash-object -w --stdin); git update-index --cacheinfo 100644,$id,pkg/.envrc; git commit -qm evil; git checkout -q -- pkg',
  ],
  [
    'a patch',
    'pkg/.envrc',
    "printf '%s\\n' 'diff --git a/pkg/.envrc b/pkg/.envrc' '--- a/pkg/.envrc' '+++ b/pkg/.envrc' '@@ -1 +1 @@' '-first' '+evil' | git apply",
  ],
];

/** What no tool writes, whoever agrees. */
const barred: readonly (readonly [road: string, path: string, command: string])[] = [
  ['a write', '.vscode/tasks.json', python('.vscode/tasks.json')],
  ['a write of settings', '.claude/settings.json', python('.claude/settings.json')],
  ['a write of servers', '.mcp.json', 'cat a.txt > .mcp.json'],
  ['a write of hooks', '.cursor/hooks.json', python('.cursor/hooks.json')],
  ['a line of a shell', '.bashrc', 'echo evil >> .bashrc'],
  [
    'a folder',
    '.vscode/tasks.json',
    'mkdir -p t/.vscode2; echo evil > t/.vscode2/tasks.json; mv t/.vscode2 .vscode',
  ],
  ['a pattern', '.vscode/tasks.json', `${python('t/v/tasks.json')}; mv t/v .vscode`],
  ['a hard link', '.mcp.json', 'echo evil > t; ln t .mcp.json'],
  ['a symbolic link', '.vscode', 'mkdir t; echo evil > t/tasks.json; ln -s $PWD/t .vscode'],
  [
    'a patch',
    'pkg/.vscode/settings.json',
    "printf '%s\\n' 'diff --git a/pkg/.vscode/settings.json b/pkg/.vscode/settings.json' '--- a/pkg/.vscode/settings.json' '+++ b/pkg/.vscode/settings.json' '@@ -1 +1 @@' '-{\"first\": 1}' '+evil' | git apply",
  ],
];

/** What everybody does. */
const free: readonly string[] = [
  'git checkout -q other; git checkout -q main',
  'git checkout -q other; git stash -q 2>/dev/null; cat pkg/.envrc pkg/.vscode/settings.json; git checkout -q main',
  'git merge -q other; git reset -q --hard HEAD~1',
  'cp pkg/.envrc t; cp t pkg/.envrc; sed -i s/x/y/ pkg/.envrc; rm t',
  'mkdir -p node_modules/x/.vscode new; echo x > node_modules/x/.vscode/settings.json; echo x > new/.envrc; rm -r node_modules new',
  'rm -r pkg/.envrc; git checkout -q -- pkg; rm -r pkg/.vscode; git checkout -q -- pkg',
];

describe.each([
  { how: 'with layer "off"', background: false, config: { process: { layer: 'off' as const } } },
  { how: 'in the background', background: true, config: {} },
])('What is obeyed later, and a command $how', ({ background, config }) => {
  // Both are watched by the same means.
  const some = <T>(all: readonly T[]) => all.filter((_, at) => !background || at % 4 === 0);
  describe('', needs(lackOfLayers), () => {
    let world: World;
    beforeAll(async () => {
      world = await openTestCheckpoint({
        flags: { profile: 'coding' },
        config: { approval: { waitMs: 30_000 }, ...config },
      });
      plant(world.root);
    });
    afterAll(() => world.close());

    test.each(some(asked))('%s is asked about, and is not there after a no: %s', async (_, path, command) => {
      writeFileSync(join(world.root, 'x.sh'), `${command}\n`);
      const before = tree(world.root);
      const { question } = await run(world, command, 'declined', background);
      expect(question).toContain(`it writes ${path}, which later runs outside the sandbox`);
      await expect.poll(() => tree(world.root)).toEqual(before);
    });

    test.each(some(barred))('%s to what no tool writes is refused: %s', async (_, path, command) => {
      const at = join(world.root, path);
      const before = existsSync(at) ? readFileSync(at, 'utf8') : undefined;
      const { question, said } = await run(world, command, 'approved', background);
      expect(question).toBe('');
      expect(said).toContain('not written, as no tool writes it and a person has to');
      expect(existsSync(at) ? readFileSync(at, 'utf8') : undefined).toBe(before);
      execFileSync('bash', ['-c', 'cd "$1" && git reset -q --hard main && git clean -qfd', '-', world.root]);
    });

    test.each(some(free))('and what everybody does is not asked about: %s', async (command) => {
      const { question, said } = await run(world, command, 'declined', background);
      expect(question).toBe('');
      expect(said).not.toContain('[history: not written');
      expect(git(world.root, 'status', '--porcelain')).toBe('');
    });

    test('comes at a yes', async () => {
      const { question } = await run(world, `${python('.envrc')}; cat .envrc > seen`, 'approved', background);
      expect(question).toContain('it writes .envrc');
      expect(readFileSync(join(world.root, 'seen'), 'utf8')).toBe('evil');
    });
  });
});
