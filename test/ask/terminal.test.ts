import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { eventsOf, openAskWorld } from './ask-world.ts';
import { calls, openScriptedModel, says } from './scripted-model.ts';

const asks = { rules: [{ tool: 'write_file', decision: 'ask' as const, because: 'It writes.' }] };
const writes = calls(['write_file', { path: 'a.txt', content: 'x' }]);

/** A terminal whose person types these words when they read the prompt, each once. */
function typing(terminal: PassThrough, ...replies: readonly string[]) {
  let asked = 0;
  return (shown: string) => {
    const prompts = shown.split('Allow? ').length - 1;
    while (asked < prompts) {
      terminal.write(replies[asked] ?? '');
      asked += 1;
    }
  };
}

function hasWritten(root: string): boolean {
  return (
    existsSync(join(root, 'output')) &&
    readdirSync(join(root, 'output'), { recursive: true }).some((path) => String(path).endsWith('a.txt'))
  );
}

test.each([
  ['y\r', true, 'once'],
  ['s\r', true, 'for the session'],
  ['はい\r', true, 'in Japanese'],
  ['n\r', false, 'no'],
  ['\r', false, 'nothing'],
  ['yeah sure\r', false, 'something else'],
])('the person at the terminal answers %j', async (reply, isWritten) => {
  await using model = await openScriptedModel(writes, says('ok'));
  using world = openAskWorld(model.url, { config: asks });
  const terminal = new PassThrough();

  const ran = await world.sekishoAsk('write it', {}, { terminal, onShown: typing(terminal, reply) });

  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain('local wants to call write_file.');
  expect(ran.stderr).toContain('Why you are asked: It writes.');
  expect(hasWritten(world.root)).toBe(isWritten);
  const result = model.seen[1]?.body.messages.at(-1)?.content;
  if (!isWritten) expect(result).toContain('denied: A person was asked and refused.');
});

test('a yes for the session is not asked again, a yes for once is', async () => {
  const edits = calls(
    ['write_file', { path: 'a.txt', content: 'x' }],
    ['write_file', { path: 'a.txt', content: 'y' }],
  );
  await using model = await openScriptedModel(edits, says('ok'));
  using world = openAskWorld(model.url, { config: asks });

  const once = new PassThrough();
  const asked = await world.sekishoAsk('write', {}, { terminal: once, onShown: typing(once, 'y\r', 'n\r') });
  expect(asked.stderr.split('Allow? ')).toHaveLength(3);

  await using again = await openScriptedModel(edits, says('ok'));
  using other = openAskWorld(again.url, { config: asks });
  const session = new PassThrough();
  const asked2 = await other.sekishoAsk('write', {}, { terminal: session, onShown: typing(session, 's\r') });
  expect(asked2.stderr.split('Allow? ')).toHaveLength(2);
});

test('what was typed before the question was shown does not answer it', async () => {
  await using model = await openScriptedModel(writes, says('ok'));
  using world = openAskWorld(model.url, { config: asks });
  const terminal = new PassThrough();
  terminal.write('write it\ry\ry\r');

  const ran = await world.sekishoAsk(
    undefined,
    {},
    {
      terminal,
      onShown: (shown) => {
        if (shown.includes('Allow? ')) terminal.end();
      },
    },
  );

  expect(ran.stderr).toContain('Allow? ');
  expect(hasWritten(world.root)).toBe(false);
});

test('a yes half typed before the question is not finished by Enter', async () => {
  await using model = await openScriptedModel(writes, says('ok'));
  using world = openAskWorld(model.url, { config: asks });
  const terminal = new PassThrough();
  terminal.write('write it\ry');

  const ran = await world.sekishoAsk(
    undefined,
    {},
    {
      terminal,
      onShown: (shown) => {
        if (shown.includes('do instead: ') && !terminal.writableEnded) terminal.end('\r');
      },
    },
  );

  expect(ran.stderr).toContain('denied: A person was asked and refused.');
  expect(hasWritten(world.root)).toBe(false);
});

test('--headless refuses at once what would need a person, and says how one agrees', async () => {
  await using model = await openScriptedModel(writes, says('I may not.'));
  using world = openAskWorld(model.url, { config: asks });

  const ran = await world.sekishoAsk('write it', { headless: true });

  expect(ran).toMatchObject({ code: 0, stdout: 'I may not.\n' });
  expect(hasWritten(world.root)).toBe(false);
  expect(model.seen[1]?.body.messages.at(-1)?.content).toMatch(
    /^denied: This needs a person's approval, and nobody can be asked here\..*`sekisho approve \S+`/,
  );
});

test('without a terminal the question waits in the queue', async () => {
  await using model = await openScriptedModel(writes, says('It waits.'));
  using world = openAskWorld(model.url, { config: { ...asks, approval: { waitMs: 50 } } });

  const ran = await world.sekishoAsk('write it');

  expect(ran).toMatchObject({ code: 0, stdout: 'It waits.\n' });
  expect(ran.stderr).toMatch(
    /… waiting for a person: .* approve \S+.*\n✗ write_file \d+ ms: approval_pending/,
  );
  expect(hasWritten(world.root)).toBe(false);
});

test('Ctrl-C at a question cancels the call and the run', async () => {
  await using model = await openScriptedModel(writes, says('never'));
  using world = openAskWorld(model.url, { config: asks });
  const terminal = new PassThrough();

  const ran = await world.sekishoAsk('write it', {}, { terminal, onShown: typing(terminal, '\x03') });

  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('Cancelled.');
  expect(model.seen).toHaveLength(1);
  expect(hasWritten(world.root)).toBe(false);
});

test.each([
  ['in one piece', ['\u001b]0;owned\u0007\u001b[2Jhi \u202eevil\u0007']],
  ['in parts', ['\u001b', ']0;ow', 'ned\u0007\u001b[', '2Jhi \u202e', 'evil\u0007']],
])('escape sequences of a model do not reach the terminal, %s', async (_how, words) => {
  await using model = await openScriptedModel(
    calls(['read\u001b[31m_file', { path: '\u001b]52;c;aGk=\u0007' }]),
    says(...words),
  );
  using world = openAskWorld(model.url);

  const ran = await world.sekishoAsk('go');

  expect(ran.stdout).toBe('hi \\u202eevil\\x07\n');
  expect(ran.stdout + ran.stderr).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
});

test('escape sequences of a file and of a page do not reach the terminal either', async () => {
  await using model = await openScriptedModel(calls(['read_file', { path: 'a.txt' }]), says('ok'));
  using world = openAskWorld(model.url, { files: { 'a.txt': '\u001b[2J\u009b31m\u202ehidden' } });

  const ran = await world.sekishoAsk('go');

  expect(ran.stderr).toContain('✓ read_file');
  expect(ran.stderr).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
});

test('--event-output is JSON Lines that any terminal may show and that lose nothing', async () => {
  const hostile = '\u001b[2J\u009b31m\u202eevil\u2028😀';
  await using model = await openScriptedModel(calls(['read_file', { path: 'a.txt' }]), says(hostile));
  using world = openAskWorld(model.url, { files: { 'a.txt': 'A' } });

  const ran = await world.sekishoAsk('go', { eventOutput: true });

  expect(ran.stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]/);
  expect(ran.stderr).toBe('');
  const events = eventsOf(ran);
  expect(events.map((event) => event.type)).toEqual([
    'start',
    'round',
    'call',
    'result',
    'round',
    'text',
    'end',
  ]);
  expect(events[2]).toEqual({
    type: 'call',
    call_id: 'c2-0',
    tool: 'read_file',
    arguments: { path: 'a.txt' },
  });
  expect(events[3]).toMatchObject({ type: 'result', call_id: 'c2-0', ok: true, text: 'A' });
  expect(events[5]).toEqual({ type: 'text', text: hostile });
  expect(events[6]).toEqual({ type: 'end', reason: 'answered', rounds: 2 });
});
