import { expect, test } from 'vitest';
import { adapters } from '../../src/hooks/adapters.ts';
import type { HookAnswer } from '../../src/hooks/event.ts';
import { claudeEvent, codexEvent, cursorEvent, geminiEvent } from './events.ts';

const input = { command: 'pwd', dir_path: 'sub', description: 'Look' };
const event = {
  claude: claudeEvent('PreToolUse', '/repo', 'Bash', input),
  codex: codexEvent('PreToolUse', '/repo', 'Bash', input),
  gemini: geminiEvent('BeforeTool', '/repo', 'run_shell_command', input),
  cursor: cursorEvent('preToolUse', '/repo', 'Shell', { ...input, working_directory: "/repo/it's" }),
};

/** What a client reads, as it is documented for it; the ones that cannot ask are told no. */
const told: readonly (readonly [client: keyof typeof event, answer: HookAnswer, stdout: unknown])[] = [
  ['claude', { kind: 'nothing' }, undefined],
  ['claude', { kind: 'allow' }, pre({ permissionDecision: 'allow' })],
  [
    'claude',
    { kind: 'allow', command: 'run' },
    pre({ permissionDecision: 'allow', updatedInput: { ...input, command: 'run' } }),
  ],
  [
    'claude',
    { kind: 'ask', words: 'Why?' },
    pre({ permissionDecision: 'ask', permissionDecisionReason: 'Why?' }),
  ],
  [
    'claude',
    { kind: 'deny', words: 'No.' },
    pre({ permissionDecision: 'deny', permissionDecisionReason: 'No.' }),
  ],
  ['codex', { kind: 'nothing' }, undefined],
  ['codex', { kind: 'allow' }, undefined],
  [
    'codex',
    { kind: 'allow', command: 'run' },
    pre({ permissionDecision: 'allow', updatedInput: { command: 'run' } }),
  ],
  [
    'codex',
    { kind: 'ask', words: 'Why?' },
    pre({ permissionDecision: 'deny', permissionDecisionReason: 'Why?' }),
  ],
  [
    'codex',
    { kind: 'deny', words: 'No.' },
    pre({ permissionDecision: 'deny', permissionDecisionReason: 'No.' }),
  ],
  ['gemini', { kind: 'nothing' }, {}],
  ['gemini', { kind: 'allow' }, {}],
  [
    'gemini',
    { kind: 'allow', command: 'run' },
    {
      decision: 'allow',
      hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: { ...input, command: 'run' } },
    },
  ],
  ['gemini', { kind: 'ask', words: 'Why?' }, { decision: 'deny', reason: 'Why?' }],
  ['gemini', { kind: 'deny', words: 'No.' }, { decision: 'deny', reason: 'No.' }],
  // It takes no answer for a failure, and refuses.
  ['cursor', { kind: 'nothing' }, { permission: 'allow' }],
  ['cursor', { kind: 'allow' }, { permission: 'allow' }],
  [
    'cursor',
    { kind: 'allow', command: 'run' },
    {
      permission: 'allow',
      updated_input: {
        ...input,
        working_directory: "/repo/it's",
        command: "cd '/repo/it'\\''s' && run",
      },
    },
  ],
  ['cursor', { kind: 'ask', words: 'Why?' }, denied('Why?')],
  ['cursor', { kind: 'deny', words: 'No.' }, denied('No.')],
];

test.each(told)('%s is told %j', (client, answer, expected) => {
  const said = adapters.get(client)?.say(answer, event[client]);
  expect(said).toMatchObject({ stderr: '', exitCode: 0 });
  expect(said?.stdout ? JSON.parse(said.stdout) : undefined).toEqual(expected);
});

test('Codex is told of its own question that it may go on, or nothing', () => {
  const request = { ...event.codex, hook_event_name: 'PermissionRequest', tool_use_id: undefined };
  const said = (answer: HookAnswer) => adapters.get('codex')?.say(answer, request).stdout;
  expect(JSON.parse(said({ kind: 'allow' }) ?? '')).toEqual({
    hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
  });
  expect(said({ kind: 'nothing' })).toBe('');
});

test('a command of Gemini CLI begins in the folder that it names', () => {
  expect(adapters.get('gemini')?.read(event.gemini)).toMatchObject({
    calls: [{ does: 'command', command: 'pwd', folder: '/repo/sub' }],
  });
});

test('every address in a prompt of Gemini CLI is judged', () => {
  const prompt = 'Compare https://a.example/x with http://b.example:8080/y?z=1, please';
  const fetching = geminiEvent('BeforeTool', '/repo', 'web_fetch', { prompt });
  expect(adapters.get('gemini')?.read(fetching)).toMatchObject({
    calls: [
      { input: { url: 'https://a.example/x' } },
      { input: { url: expect.stringContaining('b.example:8080') } },
    ],
  });
});

function pre(output: object) {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...output } };
}

function denied(words: string) {
  return { permission: 'deny', user_message: words, agent_message: words };
}
