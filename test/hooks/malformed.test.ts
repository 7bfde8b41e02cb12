import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerEvent, answerRun, readEvent } from '../../src/cli/hook/answer.ts';
import { adapters } from '../../src/hooks/adapters.ts';
import { claudeEvent, codexEvent, cursorEvent, geminiEvent } from './events.ts';
import { openHooks } from './open-hooks.ts';

/** A good event of each client that would change something, which each of these is spoilt from. */
const good: Readonly<Record<string, (root: string) => Record<string, unknown>>> = {
  claude: (root) => claudeEvent('PreToolUse', root, 'Bash', { command: 'touch x' }),
  codex: (root) => codexEvent('PreToolUse', root, 'Bash', { command: 'touch x' }),
  gemini: (root) => geminiEvent('BeforeTool', root, 'run_shell_command', { command: 'touch x' }),
  cursor: (root) => cursorEvent('preToolUse', root, 'Shell', { command: 'touch x' }),
};

const sessionOf = (event: Record<string, unknown>) =>
  'conversation_id' in event ? 'conversation_id' : 'session_id';

type Spoil = (event: Record<string, unknown>, other: string) => string;

const spoilt: readonly (readonly [name: string, spoil: Spoil])[] = [
  ['nothing', () => ''],
  ['white space', () => ' \n'],
  ['cut', (event) => JSON.stringify(event).slice(0, -9)],
  ['doubled', (event) => JSON.stringify(event).repeat(2)],
  ['a list', (event) => JSON.stringify([event])],
  ['null', () => 'null'],
  ["another client's", (_event, other) => other],
  [
    'an event of a later version',
    (event) => JSON.stringify({ ...event, hook_event_name: 'BeforeEverything' }),
  ],
  ['10 MB', () => 'x'.repeat(10 * 1024 * 1024)],
  [
    '10 MB of JSON',
    (event) => JSON.stringify({ ...event, [sessionOf(event)]: 'x'.repeat(10 * 1024 * 1024) }),
  ],
  ['a session of nobody', (event) => JSON.stringify({ ...event, [sessionOf(event)]: '' })],
  ['a session that is a number', (event) => JSON.stringify({ ...event, [sessionOf(event)]: 7 })],
  ['no tool', (event) => JSON.stringify({ ...event, tool_name: undefined })],
  ['a tool that is a list', (event) => JSON.stringify({ ...event, tool_name: ['Bash'] })],
  ['arguments that are a text', (event) => JSON.stringify({ ...event, tool_input: 'touch x' })],
  [
    'a command that is a list',
    (event) => JSON.stringify({ ...event, tool_input: { command: ['touch', 'x'] } }),
  ],
  ['a command that is empty', (event) => JSON.stringify({ ...event, tool_input: { command: '' } })],
  ['a tool of a later version', (event) => JSON.stringify({ ...event, tool_name: 'Teleport' })],
  ['a folder that is relative', (event) => JSON.stringify({ ...event, cwd: 'work' })],
];

test.each([...adapters.keys()].flatMap((client) => spoilt.map(([name, spoil]) => ({ client, name, spoil }))))(
  '$client: $name lets nothing through, and it says what is wrong',
  async ({ client, spoil }) => {
    await using hooks = await openHooks(client);
    const other = good[client === 'gemini' ? 'claude' : 'gemini']?.(hooks.root);
    const event = spoil(good[client]?.(hooks.root) ?? {}, JSON.stringify(other));
    const said = await answerEvent({ client, args: [], event, folder: hooks.root }, hooks.projects, 'en');
    expect(said.stdout).not.toMatch(/"(permissionDecision|decision|permission)":"allow"/);
    expect(said.exitCode === 2 || /"(deny|ask)"/.test(said.stdout)).toBe(true);
    expect(`${said.stderr}${said.stdout}`.length).toBeGreaterThan(30);
    expect(`${said.stderr}${said.stdout}`.length).toBeLessThan(1000);
    expect(hooks.gate.openCalls()).toBe(0);
    expect(existsSync(join(hooks.root, 'x'))).toBe(false);
  },
);

const tellOnce = [...adapters.keys()].filter((client) => client !== 'cursor');
test.each(tellOnce)('%s: a use that is told of twice is let through once', async (client) => {
  await using hooks = await openHooks(client);
  const event = good[client]?.(hooks.root) ?? {};
  const answers = await Promise.all([hooks.tell(event), hooks.tell(event)]);
  expect(answers.map(({ kind }) => kind).toSorted()).toEqual(['allow', 'deny']);
});

test.each([...adapters.keys()])('%s: no JSON that is not its event is understood as one', (client) => {
  fc.assert(
    fc.property(fc.json(), (words) => {
      expect(() => adapters.get(client)?.read(JSON.parse(words))).toThrow(/hook event/);
    }),
  );
});

test.each([
  '',
  '{',
  '{}',
  'claude',
  'claude\0{}\0/x\0{}',
  'claude\0[]\0x\0{}',
  'claude\0[\0/x\0{}',
  '\0[]\0/x\0',
])('a request that is %j is none, so that nobody answers it', (words) => {
  expect(readEvent(words)).toBeUndefined();
});

test('an event of a client that is none is refused, and a permit that nobody gave', async () => {
  await using hooks = await openHooks('claude');
  const event = readEvent('nobody\0["--config","/x"]\0/y\0{}');
  expect(event).toEqual({ client: 'nobody', args: ['--config', '/x'], folder: '/y', event: '{}' });
  if (event)
    expect(await answerEvent(event, hooks.projects, 'en')).toMatchObject({ stdout: '', exitCode: 2 });
  const request = { permit: 'x', command: 'ls', folder: hooks.root };
  const serving = { signal: new AbortController().signal, locale: 'en' } as const;
  expect(await answerRun(request, await hooks.projects.all(), serving)).toMatchObject({
    stdout: '',
    exitCode: 126,
  });
});
