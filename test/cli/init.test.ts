import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clientNames, startsElsewhere } from '../../src/cli/clients.ts';
import { ownCommand, ownName, ownProgram } from '../../src/cli/common/own-command.ts';
import { needs, programs } from '../support/needs.ts';
import { runCommand, startFile } from '../support/run-command.ts';

let home = '';

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-init-')));
  mkdirSync(join(home, 'project'));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const environment = (lang: string) => ({ PATH: process.env.PATH, HOME: home, LANG: lang });

/** What `init` says at a terminal where a person answers one question after another. */
async function typed(
  lang: string,
  answers: readonly string[],
  more = '',
): Promise<{ status: number | null; screen: string }> {
  const child = spawn('script', ['-qec', `'${process.execPath}' '${startFile}' init ${more}`, '/dev/null'], {
    cwd: home,
    env: environment(lang),
  });
  let screen = '';
  let answeredUpTo = 0;
  const left = [...answers];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    screen += chunk.replaceAll('\r', '');
    // A prompt ends with its default; what readline writes to place the cursor may follow, also in a chunk of its own.
    const isAsked = /\[[^\]\n]*\] (\x1b\[\d*[A-Z])*$/.test(screen.slice(answeredUpTo));
    if (!isAsked || left.length === 0) return;
    answeredUpTo = screen.length;
    child.stdin.write(`${left.shift()}\n`);
  });
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, screen };
}

test(
  'hooks are shown before they are written, and only a yes writes them',
  needs(programs('script')),
  async () => {
    await runCommand(['init', '--yes', '--root', join(home, 'project')], home, { HOME: home });
    const settings = join(home, '.claude/settings.json');
    mkdirSync(join(home, '.claude'));
    writeFileSync(settings, '{ "model": "opus" }\n');
    for (const [answer, status] of [
      ['n', 1],
      ['', 1],
      ['yes', 0],
    ] as const) {
      expect(readFileSync(settings, 'utf8')).toBe('{ "model": "opus" }\n');
      const asked = await typed('C.UTF-8', [answer], '--hooks');
      expect(asked.screen).toContain(`--- ${settings}`);
      expect(asked.screen).toMatch(/^\+.*PreToolUse/m);
      expect(asked.status).toBe(status);
    }
    expect(readFileSync(settings, 'utf8')).toContain('PreToolUse');
    const kept = await typed('C.UTF-8', ['n'], '--remove');
    expect(kept.screen).toMatch(/^-.*PreToolUse/m);
    expect([kept.status, readFileSync(settings, 'utf8').includes('PreToolUse')]).toEqual([1, true]);
    expect((await typed('C.UTF-8', ['y'], '--remove')).status).toBe(0);
    expect(readFileSync(settings, 'utf8')).toBe('{ "model": "opus" }\n');
  },
);

const written = () => {
  const words = readFileSync(join(home, '.config/sekisho/sekisho.jsonc'), 'utf8');
  return { words, value: parse(words) as Record<string, unknown> };
};

test(
  'an answer that cannot be taken is asked for once more, and ~ is the home folder',
  needs(programs('script')),
  async () => {
    const { status, screen } = await typed('C.UTF-8', [
      '~/nowhere',
      '~/project',
      'codign',
      'notes',
      'emacs',
      'codex',
      'off',
      '',
    ]);
    expect(status).toBe(0);
    expect(screen).toContain(
      `The folder ${home}/nowhere cannot be opened: it does not exist. Once more, please.`,
    );
    expect(screen).toContain('The profile must be one of coding, notes');
    expect(screen).toContain('The client must be one of claude, claude-desktop, cursor');
    expect(screen).toContain('The choice must be one of keep, hooks, got "off". Once more, please.');
    expect(screen).toContain('Put this into ~/.codex/config.toml:');
    expect(written().value).toEqual(
      expect.objectContaining({
        projects: { [join(home, 'project')]: { profile: 'notes', mode: 'workspace-write' } },
      }),
    );
  },
);

test(
  'in Japanese the questions, the file and the last words are Japanese',
  needs(programs('script')),
  async () => {
    const { status, screen } = await typed('ja_JP.UTF-8', ['project', '', 'vscode']);
    expect(status).toBe(0);
    expect(screen).toContain('ツールから見えるフォルダーは?');
    expect(screen).toContain('次を プロジェクトの .vscode/mcp.json に追加してください');
    expect(written().words).toContain('// プロジェクト。');
    expect(written().value.projects).toMatchObject({ [join(home, 'project')]: { profile: 'coding' } });
  },
);

test('a project that names packages is asked about their registries', needs(programs('script')), async () => {
  for (const file of ['package.json', 'go.mod']) writeFileSync(join(home, 'project', file), '{}');
  const { status, screen } = await typed('C.UTF-8', ['project', '', 'codex', 'npn', 'npm, github', 'keep']);
  expect(status).toBe(0);
  expect(screen).toContain('Which registries may commands reach, or none? [npm, go]');
  expect(screen).toContain(
    'Each must be one of npm, pypi, crates, go, rubygems, maven, github, none, got "npn".',
  );
  expect(written().value.projects).toMatchObject({
    [join(home, 'project')]: { process: { network: ['npm', 'github'] } },
  });
});

test.each([
  ['qwen', 'Over HTTP it reads "httpUrl", not "url".'],
  ['gemini', 'It starts servers only in trusted folders'],
  ['codex', 'default_tools_approval_mode keeps Codex from asking as well'],
  ['claude', '{"permissions":{"deny":["Bash","Read"'],
  ['copilot', 'copilot --available-tools sekisho'],
])('what %s needs beside those lines is told', async (client, needed) => {
  const { stdout } = await runCommand(['init', '--yes', '--client', client], join(home, 'project'), {
    HOME: home,
  });
  expect(stdout).toContain(needed);
});

test.each(clientNames)('what is printed for %s starts this very program with that file', (client) => {
  const { status, stdout } = spawnSync(process.execPath, [startFile, 'init', '--yes', '--client', client], {
    cwd: join(home, 'project'),
    env: environment('C.UTF-8'),
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  const [, , lines = ''] = stdout.split(/\n\n/);
  expect(stdout).toContain('The client still has its own tools');
  const root = startsElsewhere.has(client) ? ['--root', join(home, 'project')] : [];
  const start = [process.execPath, startFile, 'serve', ...root];
  if (client === 'opencode') {
    expect(JSON.parse(lines).mcp.sekisho.command).toEqual(start);
    return;
  }
  if (client === 'continue') {
    expect(lines).toContain(`    command: "${start[0]}"\n    args: ${JSON.stringify(start.slice(1))}`);
    return;
  }
  const server =
    client === 'codex'
      ? Object.fromEntries(
          [...lines.matchAll(/^(\w+) = (.*)$/gm)].map(([, key, value]) => [key, JSON.parse(value ?? '')]),
        )
      : Object.values(JSON.parse(lines) as Record<string, { sekisho: unknown }>)[0]?.sekisho;
  expect(server).toMatchObject({
    command: process.execPath,
    args: start.slice(1),
  });
});

const global = '/usr/lib/node_modules/sekisho/dist/sekisho.js';
const ofNpx = '/home/me/.npm/_npx/1a2b/node_modules/.bin/sekisho';

test.each([
  [ofNpx, true, 'npx', ['-y', 'sekisho', 'serve']],
  [ofNpx, false, '/usr/bin/node', [ofNpx, 'serve']],
  [global, true, '/usr/bin/node', [global, 'serve']],
])('a client starts %s (published: %s) by %s', (script, isPublished, command, args) => {
  const started = { script, isPublished, node: '/usr/bin/node', cwd: '/home/me', path: '/usr/bin' };
  expect(ownCommand(['serve'], started)).toEqual({ command, args });
});

test('what a person is told to type is what works where they are', () => {
  const clone = join(home, 'my clone');
  const script = join(clone, 'dist/sekisho.js');
  mkdirSync(join(clone, 'dist'), { recursive: true });
  mkdirSync(join(home, 'bin'));
  writeFileSync(join(clone, 'package.json'), '{}');
  writeFileSync(script, '');
  const started = { script, isPublished: false, node: '/usr/bin/node', cwd: clone, path: join(home, 'bin') };

  expect(ownName(started)).toBe('npx sekisho');
  expect(ownName({ ...started, cwd: home })).toBe(`/usr/bin/node '${script}'`);
  expect(ownProgram(started)).toBe(`/usr/bin/node '${script}'`);
  symlinkSync(script, join(home, 'bin/sekisho'));
  expect(ownName({ ...started, cwd: home })).toBe('sekisho');
  expect(ownName({ ...started, script: join(home, 'bin/sekisho'), cwd: home })).toBe('sekisho');
  expect(ownName({ ...started, script: ofNpx, cwd: home })).toBe(`/usr/bin/node ${ofNpx}`);
  symlinkSync(process.execPath, join(home, 'bin/node'));
  expect(ownProgram({ ...started, node: process.execPath, script: ofNpx })).toBe(`node ${ofNpx}`);
  expect(ownName({ ...started, script: ofNpx, isPublished: true })).toBe('npx sekisho');
});

test('a clone that npx started by a link in its cache is named by its own place', () => {
  const clone = join(home, 'clone');
  const cache = join(home, '.npm/_npx/1a2b/node_modules');
  for (const folder of [join(clone, 'dist'), join(cache, '.bin')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(clone, 'package.json'), '{}');
  writeFileSync(join(clone, 'dist/sekisho.js'), '');
  symlinkSync(clone, join(cache, 'sekisho'));
  symlinkSync('../sekisho/dist/sekisho.js', join(cache, '.bin/sekisho'));
  const script = join(cache, '.bin/sekisho');
  const started = { script, isPublished: false, node: '/usr/bin/node', cwd: clone, path: cache };

  expect(ownCommand(['serve'], started).args).toEqual([join(clone, 'dist/sekisho.js'), 'serve']);
  expect(ownName(started)).toBe('npx sekisho');
  expect(ownProgram(started)).toBe(`/usr/bin/node ${join(clone, 'dist/sekisho.js')}`);
});

test('what init writes names a schema that is there', async () => {
  await runCommand(['init', '--yes'], join(home, 'project'), { HOME: home });
  const address = String(written().value.$schema);
  expect(address).toMatch(/^file:/);
  expect(JSON.parse(readFileSync(new URL(address), 'utf8'))).toHaveProperty('properties.roots');
});
