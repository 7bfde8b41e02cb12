import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Checkpoint, openCheckpoint } from '../../src/checkpoint/open-checkpoint.ts';
import { loadSettings } from '../../src/config/load.ts';
import { needs, sandbox } from '../support/needs.ts';

// A person serves the whole home folder. The server's own records, keys and configuration lie in it.

const secret = 'the-key-of-the-log';
let home: string;
let checkpoint: Checkpoint;

beforeAll(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-home-')));
  const state = join(home, '.local', 'state', 'sekisho', 'other-workspace');
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, 'local-token'), secret);
  mkdirSync(join(home, 'work'));
  writeFileSync(join(home, 'work', 'plain.txt'), 'plain');
  const settings = loadSettings(
    { root: home, toolsets: ['agent-cli', 'assistant', 'pipeline'] },
    { HOME: home, PATH: process.env.PATH },
    home,
  );
  checkpoint = await openCheckpoint(settings);
});

afterAll(async () => {
  await checkpoint.close();
  rmSync(home, { recursive: true, force: true });
});

async function answer(tool: string, args: Record<string, unknown>): Promise<string> {
  const reply = await checkpoint.gateway.call({
    tool,
    input: args,
    arrival: { transport: 'cli', connectionId: 'c1' },
    signal: new AbortController().signal,
  });
  return JSON.stringify(reply);
}

const token = '.local/state/sekisho/other-workspace/local-token';

test.each([
  ['file_read', { path: token }],
  ['file_read', { path: `work/../${token}` }],
  ['file_read', { path: '.LOCAL/state/Sekisho/other-workspace/local-token' }],
  ['file_write', { path: token, content: 'x', overwrite: true }],
  ['file_write', { path: '.config/sekisho/new.jsonc', content: '{}' }],
  ['read_file', { path: token }],
  ['list_files', { path: '.local/state/sekisho' }],
  ['shelpa_pipe', { command: `tail -n 1 ${token}` }],
])('%s is refused at the server’s own files: %j', async (tool, args) => {
  const reply = await answer(tool, args);
  expect(reply).toMatch(/"code":"(forbidden|not_found|GUARD_VIOLATION)"|GUARD_VIOLATION/);
  expect(reply).not.toContain(secret);
});

test.each([
  ['grep', { pattern: secret }],
  ['grep', { pattern: secret, path: '.local', glob: '**/sekisho/**', include_ignored: true }],
  ['glob', { pattern: '**/local-token', include_ignored: true }],
  ['shelpa_pipe', { command: `rg -uu --hidden ${secret} .` }],
])('%s passes by them: %j', async (tool, args) => {
  const reply = await answer(tool, args);
  expect(reply).not.toMatch(/other-workspace|local-token:/);
});

describe('a command', needs(sandbox('bubblewrap')), () => {
  async function run(script: string): Promise<string> {
    return answer('shell_exec', { command: 'bash', args: ['-c', script] });
  }

  test('sees neither, and the rest of the home folder', async () => {
    const reply = await run(
      `cat ${token} .local/state/sekisho/*/*; ls -A .local/state/sekisho; cat work/plain.txt`,
    );
    expect(reply).toContain('plain');
    expect(reply).not.toMatch(/other-workspace"|the-key/);
  });

  test('cannot move the folders above aside, or make a configuration for the next start', async () => {
    const reply = await run(
      'mv .local .l; mv .local/state .s; mv .config .c; mkdir -p .config/sekisho && echo {} > .config/sekisho/sekisho.jsonc && echo made; rmdir .config/sekisho && echo gone; ls -A',
    );
    expect(reply).not.toMatch(/made|gone|\\n\.[lc]\\n/);
    expect(await run(`cat .l/state/sekisho/*/* .s/sekisho/*/* ${token}; echo end`)).not.toContain(secret);
  });
});

test('a state folder reached through a link into a root is no way around', () => {
  const link = join(tmpdir(), `sekisho-link-${process.pid}`);
  symlinkSync(home, link);
  try {
    expect(() =>
      loadSettings({ root: home, state: join(link, 'records') }, { HOME: '/nonexistent' }, home),
    ).toThrow(/outside/);
  } finally {
    rmSync(link);
  }
});

test(
  'what other programs obey is read-only for commands where it is there',
  needs(sandbox('bubblewrap')),
  async () => {
    mkdirSync(join(home, '.vscode'));
    writeFileSync(join(home, '.bashrc'), '# mine');
    const reply = await answer('shell_exec', {
      command: 'bash',
      args: [
        '-c',
        // By wildcards, as the judge refuses the names themselves.
        'echo changed >> .bashr[c]; cd .vscod[e] && echo {} > tasks.json; cd ..; mv .vscode .v; cat .bashrc; ls -A . .vscode',
      ],
    });
    expect(reply).toContain('# mine');
    expect(reply).not.toMatch(/changed|tasks\.json\\n|\.v\\n/);
    expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe('# mine');
    expect(readdirSync(home)).toContain('.vscode');
    expect(readdirSync(home)).not.toContain('.v');
  },
);

test('a root that was named by a link is reached by that name too', async () => {
  const link = join(home, 'work-link');
  symlinkSync(join(home, 'work'), link);
  const settings = loadSettings({ root: link, state: `${home}-records` }, { HOME: `${home}-none` }, home);
  const served = await openCheckpoint(settings);
  const reply = await served.gateway.call({
    tool: 'file_read',
    input: { path: join(link, 'plain.txt') },
    arrival: { transport: 'cli', connectionId: 'c2' },
    signal: new AbortController().signal,
  });
  await served.close();
  rmSync(`${home}-records`, { recursive: true, force: true });
  expect(reply).toMatchObject({ kind: 'output' });
});
