import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../../src/command/commands.ts';
import { needs, sandbox } from '../../support/needs.ts';

const base = realpathSync(mkdtempSync('/var/tmp/sekisho-beside-'));
afterAll(() => rmSync(base, { recursive: true }));

/** Without what npm tells its scripts: a person's own shell has none of it. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));

/** What people ask of the toolchains that they have; what a machine does not have is as missing in a plain bash. */
const lines = [
  ...[
    'python3',
    'python',
    'pip',
    'node',
    'npm',
    'cargo',
    'rustc',
    'go',
    'ruby',
    'java',
    'uv',
    'deno',
    'bun',
  ].map((name) => `which ${name} && ${name} --version`),
  'python3 -c "import sys; print(sys.executable, sys.prefix)"',
  'node -p process.execPath',
  'pyenv versions',
  'rustup toolchain list',
  'npm root -g; npm prefix -g',
  "printf 'def f():\\n    return 1\\n' > m.py; python3 -c 'import m; print(m.f())'; ls -A",
  'python3 -m venv --without-pip .venv && .venv/bin/python3 -c "import sys; print(sys.prefix, sys.base_prefix)"',
];

let inPlain: Promise<Awaited<ReturnType<typeof run>>> | undefined;
function runPlain(root: string) {
  inPlain ??= run(root, (line) => {
    const { status, stdout } = spawnSync('bash', ['-c', line], { cwd: root, encoding: 'utf8', env });
    return { exitCode: status, stdout };
  });
  return inPlain;
}

describe.each(['bubblewrap', 'landlock'] as const)('%s', (name) => {
  test('the toolchains of this machine do what they do in a plain bash', {
    timeout: 180_000,
    ...needs(sandbox(name)),
  }, async () => {
    const root = join(base, 'project');
    const plain = await runPlain(root);
    const commands = new CommandRunner({
      roots: [{ hostPath: makeEmpty(root), writable: true }],
      sandbox: 'required',
      backends: [name],
      caches: { folder: join(base, 'caches'), maxBytes: 1024 ** 3 },
    });
    const confined = await run(root, async (line) => {
      const { exitCode, stdout } = await commands
        .forSession('s')
        .run(
          { kind: 'script', script: line, shell: 'bash' },
          { workingFolder: root, timeoutMs: 60_000, signal: new AbortController().signal },
        );
      return { exitCode, stdout };
    });
    expect(confined).toEqual(plain);
    await commands.close();
  });
});

type Seen = { readonly exitCode: number | null; readonly stdout: string };

async function run(root: string, start: (line: string) => Seen | Promise<Seen>) {
  makeEmpty(root);
  const seen: Record<string, unknown> = {};
  for (const line of lines) seen[line] = await start(line);
  return { ...seen, tree: readdirSync(root, { recursive: true }).map(String).sort() };
}

function makeEmpty(folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}
