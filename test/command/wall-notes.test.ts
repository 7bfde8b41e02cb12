import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import { wallNotes } from '../../src/command/sandbox/wall-notes.ts';
import { cpuTimeMs } from '../support/cpu-time.ts';
import { needs, sandbox } from '../support/needs.ts';

const base = realpathSync(mkdtempSync('/var/tmp/sekisho-walls-test-'));
const root = join(base, 'project');
mkdirSync(join(root, '.vscode'), { recursive: true });
writeFileSync(join(base, 'secret'), '');
afterAll(() => rmSync(base, { recursive: true }));
const never = new AbortController().signal;

const met = {
  home: ['cat ~/.npmrc', "python3 -c \"open(__import__('os').environ['HOME'] + '/.pypirc')\""],
  hidden: [
    `cat ${base}/secret`,
    `cat ${base}/not-there`,
    `ls ${homedir()}/projects`,
    `node -e 'require("node:fs").readFileSync("${base}/secret")'`,
  ],
  'read-only': ['echo x > /usr/x', 'touch .vscode/settings.json', 'mkdir /newdir'],
  terminal: ['stty size', 'echo x > /dev/tty', 'node -e "process.stdin.setRawMode(true)"'],
};
const keys = {
  home: 'process.environment',
  hidden: 'process.readable',
  'read-only': 'roots',
  terminal: 'no key',
};

function open(name: 'bubblewrap' | 'landlock') {
  const runner = new CommandRunner({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    backends: [name],
  });
  const run = (script: string, session: string) =>
    runner
      .forSession(session)
      .run(
        { kind: 'script', script, shell: 'bash' },
        { workingFolder: root, timeoutMs: 30_000, signal: never, inSession: true },
      );
  return Object.assign(runner, { run });
}

describe('bubblewrap', needs(sandbox('bubblewrap')), () => {
  const runner = open('bubblewrap');
  afterAll(() => runner.close());

  test.each(Object.entries(met).flatMap(([wall, lines]) => lines.map((line) => [wall, line] as const)))(
    'the first to meet the wall "%s" is told of it, with what would help: %s',
    async (wall, line) => {
      const first = await runner.run(line, line);
      expect(first.exitCode).not.toBe(0);
      const notes = first.stderr.split('\n').filter((words) => words.startsWith('[walls: '));
      expect(notes).toHaveLength(1);
      expect(notes[0]).toContain(keys[wall as keyof typeof keys]);
      expect((await runner.run(line, line)).stderr).not.toContain('[walls: ');
    },
  );

  test.each([
    ['.vscode/settings.json', 'mkdir -p .vscode; echo 1'],
    ['.bashrc', 'echo 1'],
  ])('a checkout that cannot change %s names it', async (name, begin) => {
    const folder = join(root, 'checkout');
    const git = (script: string) => execFileSync('bash', ['-ec', script], { cwd: folder, stdio: 'pipe' });
    mkdirSync(folder);
    const commit = 'git -c user.name=a -c user.email=a@b commit -qam x';
    git(
      `git init -qb main; ${begin} >${name}; git add -A; ${commit}; git checkout -qb other; echo 2 >${name}; ${commit}; git checkout -q main`,
    );
    const own = new CommandRunner({
      roots: [{ hostPath: folder, writable: true }],
      sandbox: 'required',
      backends: ['bubblewrap'],
      readOnlyNames: ['.vscode', '.bashrc'],
    });
    const options = { workingFolder: folder, timeoutMs: 30_000, signal: never };
    const command = { kind: 'script', script: 'git checkout other', shell: 'bash' } as const;
    const { exitCode, stderr } = await own.forSession('s').run(command, options);
    await own.close();
    rmSync(folder, { recursive: true });
    expect(exitCode).toBe(0);
    const notes = stderr.split('\n').filter((line) => line.startsWith('[walls: '));
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain(`[walls: ${name} is read-only for commands`);
  });

  test('one that goes on in the background is told of it at its end', async () => {
    const command = await runner
      .forSession('background')
      .start({ kind: 'script', script: `cat ${base}/secret`, shell: 'bash' }, { workingFolder: root });
    await command.wait(20_000, never);
    expect(command.read().text).toMatch(/No such file or directory\n\[walls: commands see the roots/);
  });

  test.each([
    'cat not-there',
    `cat ${root}/not-there`,
    'cat /usr/share/not-there',
    'cat /tmp/not-there',
    'nothing-of-that-name',
    'test -t 0',
    'grep -q x /etc/passwd-not-there',
    `cat ${homedir()}/.bashrc || true`,
    'echo "see https://example.org/a: not found"; exit 1',
    'echo "GET /api/users: 404 not found"; exit 1',
  ])('a failure of its own is no wall: %s', async (line) => {
    expect((await runner.run(line, line)).stderr).not.toContain('[walls: ');
  });

  test('the note says the same whether the file is there or not', async () => {
    const notes = await Promise.all(
      [`${base}/secret`, `${base}/none`].map(async (path) =>
        (await runner.run(`cat ${path}`, path)).stderr.replaceAll(path, ''),
      ),
    );
    expect(notes[0]).toBe(notes[1]);
  });
});

test(
  'Landlock refuses where namespaces hide, and that is said as well',
  needs(sandbox('landlock')),
  async () => {
    const runner = open('landlock');
    expect((await runner.run(`cat ${base}/secret`, 'a')).stderr).toContain('[walls: commands see the roots');
    expect((await runner.run('touch own; chmod 0 own; cat own', 'b')).stderr).not.toContain('[walls: ');
    await runner.close();
  },
);

test.each([
  ['connect EACCES /srv/run/agent.sock', /sockets of Unix/],
  ['could not open the socket: Permission denied', /sockets of Unix/],
  ['connect EACCES 192.0.2.1:80', undefined],
])('where a program says "%s"', (words, told) => {
  const [note] = wallNotes([words], { home: '/h', seen: [], refuses: false, failed: true, told: new Set() });
  if (told) expect(note).toMatch(told);
  else expect(note).toBeUndefined();
});

test('a long hostile output is looked through in no time', async () => {
  const scene = { home: '/h', seen: ['/r'], refuses: true, told: new Set<string>() };
  const spentMs = await cpuTimeMs(() => {
    for (const words of ['/', '/a', 'not found /x:', "'/", 'no tty ']) {
      wallNotes([words.repeat(500_000)], { ...scene, failed: true, told: new Set() });
    }
  });
  // A look that goes back at each character would take hours.
  expect(spentMs).toBeLessThan(5000);
});
