import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { speak } from '../../src/cli/common/say.ts';
import { main } from '../../src/cli/main.ts';
import { commandsBelow, nameOf } from '../../src/cli/program/help.ts';
import { createProgram } from '../../src/cli/program/program.ts';
import { englishIn } from '../support/english.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sekisho-ja-'));
  mkdirSync(join(folder, 'project'));
  writeFileSync(join(folder, 'project', 'a.txt'), 'one\n');
  vi.stubEnv('HOME', folder);
  vi.stubEnv('XDG_CONFIG_HOME', undefined);
  vi.stubEnv('XDG_STATE_HOME', undefined);
  vi.stubEnv('ZAI_API_KEY', undefined);
  for (const name of ['LC_ALL', 'LC_MESSAGES']) vi.stubEnv(name, undefined);
  vi.stubEnv('LANG', 'ja_JP.UTF-8');
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs one command line here; what it would print, to the person or beside. */
async function printed(...args: string[]): Promise<{ readonly code: number; readonly words: string }> {
  let words = '';
  const take = (chunk: unknown) => {
    words += String(chunk);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(take);
  vi.spyOn(process.stderr, 'write').mockImplementation(take);
  const code = await main(args);
  vi.restoreAllMocks();
  return { code, words };
}

const here = () => ['--root', join(folder, 'project'), '--state', join(folder, 'state')];
const commands = commandsBelow(createProgram(() => undefined));

/** What commander shows of a command in words. */
function wordsOf(command: Command): string[] {
  const shown = [command, ...command.options, ...command.registeredArguments];
  return shown.map((each) =>
    typeof each.description === 'function' ? command.description() : each.description,
  );
}

test('each line of the help has its Japanese', () => {
  speak('ja');
  const program = createProgram(() => undefined);
  speak('en');
  const told = [program, ...commandsBelow(program)].flatMap(wordsOf).filter((words) => words !== '');
  expect(told.filter((words) => !/[ぁ-んァ-ヶ一-龠]/.test(words))).toEqual([]);
});

test.each([[], ...commands.map((command) => nameOf(command).split(' '))])(
  'the help of sekisho %s is Japanese',
  async (...name) => {
    const { words } = await printed(...name, '--help');
    expect(words).toMatch(/使い方:/);
    expect(englishIn(words)).toEqual([]);
  },
);

// What each of them does wrong, or finds nothing of. Placeholders: {state}, {file}.
const lines: readonly (readonly [exit: number, args: readonly string[]])[] = [
  [2, ['nothing']],
  [2, ['serv']],
  [2, ['call']],
  [2, ['diff', 'a', 'b']],
  [2, ['undo', '--sinze', '2h']],
  [2, ['tools', '--mode', 'yolo']],
  [2, ['token', 'create']],
  [2, ['token', 'create', '--user', 'a b']],
  [2, ['token', 'create', '--user', 'ada', '--expires', 'soon']],
  [2, ['token', 'create', '--user', 'ada', '--for', 'all']],
  [0, ['token', 'create', '--user', 'ada', '--expires', '2h']],
  [0, ['token', 'list']],
  [1, ['token', 'revoke', 'tok_nothing']],
  [2, ['call', 'file_read', 'a.txt']],
  [0, ['call', 'file_read', '{"path":"a.txt"}']],
  [1, ['call', 'file_read', '{"path":"b.txt"}']],
  [1, ['call', 'file_read', '{"path":7}']],
  [2, ['call', 'file_read', '{"path":"/etc/hostname"}']],
  [1, ['call', 'no_such_tool', '{}']],
  [0, ['tools']],
  [0, ['audit', 'tail']],
  [1, ['audit', 'search', 'nothing at all']],
  [2, ['audit', 'tail', '--lines', '-3']],
  [0, ['audit', 'verify']],
  [0, ['approve']],
  [1, ['approve', 'apr_nothing']],
  [0, ['approve', 'grants']],
  [1, ['approve', 'revoke', 'apr_nothing']],
  [1, ['history']],
  [1, ['diff', 'chg_nothing']],
  [2, ['undo', 'his_1', '--since', '1h']],
  [1, ['undo', 'chg_nothing']],
  [1, ['undo', '--since', '10m']],
  [0, ['policy', 'explain']],
  [3, ['policy', 'test', '{}']],
  [1, ['policy', 'test', '{"tool":"shell_exec","arguments":{"command":"sudo ls"}}']],
  [
    1,
    ['policy', 'test', '{"tool":"shell_exec","arguments":{"command":"git push"}}', '--toolsets', 'agent-cli'],
  ],
  [0, ['server', 'list']],
  [2, ['server', 'check', 'nobody']],
  [2, ['import', 'claude']],
  [2, ['import', '{file}']],
  [1, ['console']],
  [0, ['agent', 'list']],
  [2, ['agent', 'remove', 'nobody']],
  [0, ['agent', 'add', 'worker-1']],
  [2, ['agent', 'add', 'a b']],
  [2, ['agent', 'add', 'worker-2', '--project', 'nothing']],
  [2, ['agent', 'passwd', 'nobody']],
  [2, ['agent', 'add', 'worker-2', '--passkey-env', 'NOTHING_HERE']],
  [0, ['project', 'list']],
  [2, ['project', 'assign', 'site', 'worker-1']],
  [0, ['project', 'add', 'site']],
  [2, ['project', 'pause', 'nothing']],
  [2, ['task', 'add', '--project', 'nothing', '--title', 'x']],
  [0, ['task', 'list']],
  [2, ['task', 'list', '--status', 'open']],
  [2, ['task', 'show', 'tsk_nothing']],
  [0, ['coordinator', 'token']],
  [2, ['team', 'apply', '{file}']],
  [2, ['memory', 'embed']],
  [2, ['memory', 'import', '{file}']],
  [2, ['ask', 'hello']],
  [2, ['ask', 'hello', '--session', 'a/b']],
  [2, ['store', 'copy', 'x', 'y']],
  [2, ['tools', '--config', '{file}']],
  [2, ['tools', '--allow-path', '/nothing/here']],
  [2, ['serve', '--http', 'somewhere']],
];
const withoutSettings = new Set(['nothing', 'serv', 'import', 'store']);

test.each(lines)('exit %i: what sekisho says of %j is Japanese', async (exit, given) => {
  const args = given.map((arg) => arg.replace('{file}', join(folder, 'nothing.jsonc')));
  const { code, words } = await printed(...args, ...(withoutSettings.has(args[0] ?? '') ? [] : here()));
  expect(englishIn(words)).toEqual([]);
  expect({ code, words }).toMatchObject({ code: exit });
});

const settings: readonly (readonly [problem: string, config: object | string])[] = [
  ['no JSON', '{ "mode": '],
  ['an unknown key', { mood: 'read-only' }],
  ['a wrong value', { mode: 'yolo' }],
  ['a wrong type', { roots: 7 }],
  ['a missing key', { servers: [{ command: 'x' }] }],
  ['a number that is too large', { process: { maxTimeoutMs: -1 } }],
  ['a zone', { assistant: { timeZone: 'Mars' } }],
  ['a rule', { rules: [{ id: 'r', tool: 'bash', decision: 'deny', because: 'no', command: [] }] }],
  ['a rule about effects', { rules: [{ effect: { deletes: 'many' }, then: 'ask' }] }],
  [
    'two servers',
    {
      servers: [
        { name: 'a', command: 'x' },
        { name: 'a', command: 'y' },
      ],
    },
  ],
  ['a server with neither', { servers: [{ name: 'a' }] }],
  ["a client's key", { mcpServers: { a: { command: 'x', alwaysAllow: ['y'] } } }],
  ['a folder', { roots: ['/nothing/here'] }],
  ['a database', { store: { url: 'mysql://x' } }],
];

test.each(settings)('a configuration with %s is refused in Japanese', async (_problem, config) => {
  const file = join(folder, 'sekisho.jsonc');
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config));
  const { code, words } = await printed(
    'policy',
    'explain',
    '--config',
    file,
    '--state',
    join(folder, 'state'),
  );
  expect(englishIn(words)).toEqual([]);
  expect({ code, words }).toMatchObject({ code: 2 });
});

test.each([
  ['the flag', ['--locale', 'ja'], undefined, 'en_US.UTF-8', /ありません/],
  ['the configuration over the environment', [], 'ja', 'en_US.UTF-8', /ありません/],
  ['the flag over the configuration', ['--locale=en'], 'ja', 'ja_JP.UTF-8', /There is no question/],
  ['the environment', [], undefined, 'ja_JP.UTF-8', /ありません/],
  ['English', [], undefined, 'C', /There is no question/],
])('the language is chosen by %s', async (_by, flags, configured, lang, expected) => {
  vi.stubEnv('LANG', lang);
  const file = join(folder, 'sekisho.jsonc');
  writeFileSync(file, JSON.stringify(configured === undefined ? {} : { locale: configured }));
  const { words } = await printed('approve', 'apr_nothing', '--config', file, ...flags, ...here());
  expect(words).toMatch(expected);
});

test('a question is read in the language of whoever answers, not of the server that asked', async () => {
  const file = join(folder, 'sekisho.jsonc');
  const rule = { tool: 'file_write', decision: 'ask', because: 'live' };
  writeFileSync(file, JSON.stringify({ rules: [rule], approval: { waitMs: 50 } }));
  const at = ['--config', file, ...here()];
  const write = ['call', 'file_write', '{"path":"b.txt","content":"x"}'];
  expect((await printed(...write, '--locale', 'en', ...at)).code).toBe(2);

  const english = await printed('approve', '--locale', 'en', ...at);
  expect(english.words).toContain('local wants to call file_write.');
  const { words } = await printed('approve', ...at);
  expect(words).toContain('local が file_write を呼び出そうとしています。');
  expect(englishIn(words)).toEqual([]);
});

test('the detector finds an English sentence, and no names', () => {
  expect(englishIn('There is no question 4.')).toEqual(['There is no question']);
  expect(englishIn('ok: `sekisho audit tail` --json /a/b "not this one here" <host and port>')).toEqual([]);
});
