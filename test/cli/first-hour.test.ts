import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parse } from 'jsonc-parser';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/open-checkpoint.ts';
import { loadSettings } from '../../src/config/load.ts';
import { needs, sandbox } from '../support/needs.ts';
import { runCommand } from '../support/run-command.ts';

// Walks the page "The first hour": what `init` writes is all the configuration there is, and each command of the table
// does what stands beside it.

const pages = ['first-hour.md', 'first-hour.ja.md'].map((page) =>
  readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8'),
);
let home = '';
let project = '';
const closings: (() => Promise<void>)[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sekisho-first-hour-'));
  project = join(home, 'project');
  mkdirSync(join(project, 'packages/web'), { recursive: true });
  mkdirSync(join(project, 'dist'));
  const serve = `require('http').createServer((_, reply) => reply.end('served')).listen(3000)`;
  const scripts = { test: 'node --version', dev: `node -e "${serve}"`, 'build:all': 'node --version' };
  const manifest = { name: 'project', version: '1.0.0', scripts };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    join(project, 'package-lock.json'),
    JSON.stringify({ name: 'project', version: '1.0.0', lockfileVersion: 3, packages: { '': manifest } }),
  );
  writeFileSync(join(project, 'requirements.txt'), '');
  writeFileSync(join(project, 'price.js'), 'module.exports = 1;\n');
  execFileSync('git', ['init', '-q', project]);
  for (const [key, value] of [
    ['user.name', 'Mai'],
    ['user.email', 'mai@example.com'],
  ] as const)
    execFileSync('git', ['-C', project, 'config', key, value]);
});

afterEach(async () => {
  for (const close of closings.splice(0)) await close();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

/** `bash` commands of the table, in order; a row may hold two. */
function commandsOf(page: string): readonly string[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| `bash` '))
    .flatMap((line) =>
      [...(line.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, words = '']) => words),
    )
    .filter((words) => words !== 'bash' && words !== 'background');
}

test('the page shows no key of the configuration on its way, and its languages show the same commands', () => {
  for (const page of pages) expect(page).not.toMatch(/```jsonc|\bprocess\.\w|"profile"/);
  const [english = [], japanese] = pages.map(commandsOf);
  expect(japanese).toEqual(english);
  expect(english.length).toBeGreaterThan(9);
});

test('init lets commands reach what the project installs from, and nothing where it names nothing', async () => {
  const empty = join(home, 'empty');
  mkdirSync(empty);
  for (const [folder, process] of [
    [project, { network: ['npm', 'pypi'] }],
    [empty, undefined],
  ] as const) {
    const file = join(home, 'sekisho.jsonc');
    const { code, stdout } = await runCommand(['init', '--yes', '--force', '--out', file], folder, {
      HOME: home,
    });
    expect(code).toBe(0);
    expect(parse(readFileSync(file, 'utf8')).projects[folder].process).toEqual(process);
    expect(stdout.includes('Commands can reach only the hosts of these sets: npm, pypi.')).toBe(
      process !== undefined,
    );
  }
});

test('each command of the page does what stands beside it', needs(sandbox('bubblewrap')), async () => {
  expect(await runCommand(['init', '--yes'], project, { HOME: home })).toMatchObject({ code: 0 });
  const config = join(home, '.config/sekisho/sekisho.jsonc');
  const settings = loadSettings(
    { config, state: join(home, 'state') },
    { ...process.env, HOME: home },
    project,
  );
  const checkpoint = await openCheckpoint(settings);
  closings.push(() => checkpoint.close());
  const asked: string[] = [];
  const bash = async (command: string, more: object = {}) => {
    const reply = await checkpoint.gateway.call({
      tool: 'bash',
      input: { command, ...more },
      arrival: { transport: 'stdio', connectionId: 'walk' },
      signal: new AbortController().signal,
      elicit: async () => {
        asked.push(command);
        // A quicker no is taken for that of a client with nobody before it.
        await setTimeout(1600);
        return { action: 'decline' };
      },
    });
    const text = reply.kind === 'error' ? reply.text : JSON.stringify(reply);
    const shown = reply.kind === 'output' ? (reply.structured as { exit_code?: number }) : undefined;
    return { text, code: shown?.exit_code };
  };

  const expected: Readonly<Record<string, (reply: { text: string; code?: number | undefined }) => void>> = {
    'npm test': ({ code }) => expect(code).toBe(0),
    'git add -A && git commit -m fix': ({ code }) => expect(code).toBe(0),
    'npm ci': ({ code }) => expect(code).toBe(0),
    'pip install -r requirements.txt': ({ text }) => expect(text).not.toContain('denied'),
    'npm install left-pad': ({ code }) => expect(code).toBeUndefined(),
    'rm -rf dist && kill $(lsof -ti :3000)': ({ text }) => expect(text).not.toContain('denied'),
    'rm -rf "$DIR"': ({ text }) => expect(text).not.toContain('denied'),
    'cd packages/web; export CI=1': ({ code }) => expect(code).toBe(0),
    'npm run dev': ({ text }) => expect(text).toContain('p1'),
    'curl -s localhost:3000': ({ text }) => expect(text).toContain('served'),
    'npm run build:all': ({ code }) => expect(code).toBe(0),
    'cat ~/.npmrc': ({ text }) => expect(text).toContain('process.readable'),
  };
  const commands = commandsOf(pages[0] ?? '');
  expect(commands).toEqual(Object.keys(expected));
  for (const command of commands) {
    const reply = await bash(command, command === 'npm run dev' ? { background: true } : {});
    if (command === 'npm run dev')
      await bash('until curl -sf localhost:3000 > /dev/null; do sleep 0.1; done');
    expected[command]?.(reply);
  }
  expect((await bash('rm -rf ~')).text).toContain('rm-everything');
  expect(asked).toEqual(['npm install left-pad']);
  expect((await bash('echo "$PWD $CI"')).text).toContain('packages/web 1');
});
