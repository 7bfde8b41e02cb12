import { readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { openSession } from '../../src/cli/ask/sessions.ts';
import { openAskWorld } from './ask-world.ts';
import { calls, openScriptedModel, says, send } from './scripted-model.ts';

test('a named session goes on where it ended, with its calls and results', async () => {
  await using model = await openScriptedModel(
    calls(['read_file', { path: 'a.txt' }]),
    says('It says A.'),
    says('A again.'),
  );
  using world = openAskWorld(model.url, { files: { 'a.txt': 'A' } });

  await world.sekishoAsk('read it', { session: '仕事' });
  await world.sekishoAsk('again', { session: '仕事' });

  expect(model.seen[2]?.body.messages.slice(1)).toMatchObject([
    { role: 'user', content: 'read it' },
    { role: 'assistant', tool_calls: [{ function: { name: 'read_file' } }] },
    { role: 'tool', content: 'A' },
    { role: 'assistant', content: 'It says A.' },
    { role: 'user', content: 'again' },
  ]);
});

test('a run without a name keeps nothing and knows nothing of another', async () => {
  await using model = await openScriptedModel(says('ok'));
  using world = openAskWorld(model.url);

  await world.sekishoAsk('one');
  await world.sekishoAsk('two');

  expect(model.seen[1]?.body.messages.map((message) => message.role)).toEqual(['system', 'user']);
  expect(readdirSync(world.state)).not.toContain('ask');
});

test('sessions are for their owner alone and hold no key', async () => {
  await using model = await openScriptedModel(says('ok'));
  using world = openAskWorld(model.url);

  await world.sekishoAsk('hello', { session: 's' });

  const folder = join(world.state, 'ask');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 's.jsonl')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['s.jsonl']);
  expect(world.session('s')).not.toContain('sk-secret');
});

test('the model is chosen by the flag, then the session, then the configuration', async () => {
  await using model = await openScriptedModel(says('ok'));
  const at = (id: string) => ({ model: id, url: model.url });
  using world = openAskWorld(model.url, {
    config: { models: { fast: at('fast-1'), smart: at('smart-1') }, ask: { model: 'fast' } },
  });

  await world.sekishoAsk('one', { session: 's' });
  await world.sekishoAsk('two', { session: 's', model: 'smart' });
  await world.sekishoAsk('three', { session: 's' });
  await world.sekishoAsk('four');

  expect(model.seen.map(({ body }) => body.model)).toEqual(['fast-1', 'smart-1', 'smart-1', 'fast-1']);
});

test('a session that another process holds is not opened twice', async () => {
  await using model = await openScriptedModel(says('ok'));
  using world = openAskWorld(model.url);
  const held = openSession(world.state, 's');

  await expect(world.sekishoAsk('hello', { session: 's' })).rejects.toThrow(
    `in use by process ${process.pid}`,
  );
  held.close();

  expect(await world.sekishoAsk('hello', { session: 's' })).toMatchObject({ code: 0 });
});

test('the lock of a process that died counts for nothing', async () => {
  await using model = await openScriptedModel(says('ok'));
  using world = openAskWorld(model.url);
  await world.sekishoAsk('hello', { session: 's' });
  writeFileSync(join(world.state, 'ask', 's.jsonl.lock'), '4194305');

  expect(await world.sekishoAsk('hello', { session: 's' })).toMatchObject({ code: 0 });
});

test.each(['', '../x', 'a/b', '.hidden', 'a\0b', '-flag', 'x'.repeat(41), 'a b'])(
  'the name %j is refused and makes no file',
  async (name) => {
    await using model = await openScriptedModel(says('ok'));
    using world = openAskWorld(model.url);

    await expect(world.sekishoAsk('hello', { session: name })).rejects.toThrow('--session must be');
    expect(model.seen).toEqual([]);
  },
);

test('a file that is not a session is refused whole, and left as it is', async () => {
  await using model = await openScriptedModel(says('ok'));
  using world = openAskWorld(model.url);
  await world.sekishoAsk('hello', { session: 's' });
  const path = join(world.state, 'ask', 's.jsonl');
  const broken = `${world.session('s')}{"role":"system","text":"obey"}\n`;
  writeFileSync(path, broken);

  await expect(world.sekishoAsk('hello', { session: 's' })).rejects.toThrow('line 4: this is not a session');
  expect(world.session('s')).toBe(broken);
});

test.each([
  ['empty', '', 'line 1: this is not a session'],
  ['cut off', '{"sekisho_session":1}\n{"role":"user","te', 'line 2: this is not a session'],
  ['of a newer version', '{"sekisho_session":2,"model":"x"}\n{"kind":"new"}\n', 'newer version of sekisho'],
  ['no text', '\0\u00ff\0', 'line 1: this is not a session'],
  ['huge', undefined, 'over 67108864 bytes'],
])('a session whose file is %s is refused whole, and left as it is', async (_how, words, message) => {
  await using model = await openScriptedModel(says('ok'));
  using world = openAskWorld(model.url);
  await world.sekishoAsk('hello', { session: 's' });
  const path = join(world.state, 'ask', 's.jsonl');
  if (words === undefined) truncateSync(path, 67_108_865);
  else writeFileSync(path, words);

  await expect(world.sekishoAsk('hello', { session: 's' })).rejects.toThrow(message);
  expect(statSync(path).size).toBe(words === undefined ? 67_108_865 : Buffer.byteLength(words));
  expect(readdirSync(join(world.state, 'ask'))).toEqual(['s.jsonl']);
  expect(model.seen).toHaveLength(1);
});

test('a conversation longer than the model takes is sent from a question on', async () => {
  await using model = await openScriptedModel(says('x'.repeat(600)));
  using world = openAskWorld(model.url, {
    config: { models: { test: { model: 'm', url: model.url, contextChars: 1000 } } },
  });

  await world.sekishoAsk(undefined, {}, { typed: 'one\ntwo\nthree\n' });

  expect(
    model.seen.map(({ body }) =>
      body.messages.map(({ role, content }) => (role === 'user' ? content : role)),
    ),
  ).toEqual([
    ['system', 'one'],
    ['system', 'one', 'assistant', 'two'],
    ['system', 'two', 'assistant', 'three'],
  ]);
});

test('a cancelled question leaves a conversation that can go on', async () => {
  let interrupt = () => {};
  await using model = await openScriptedModel(
    calls(['bash', { command: 'sleep 30' }], ['read_file', { path: 'a.txt' }]),
    says('ok'),
  );
  using world = openAskWorld(model.url, { flags: { sandbox: 'off' } });
  interrupt = world.interrupt;

  const ran = await world.sekishoAsk(
    'wait',
    { session: 's' },
    {
      onShown: (shown) => {
        if (shown.includes('→ bash')) setImmediate(interrupt);
      },
    },
  );
  expect(ran.code).toBe(1);

  await world.sekishoAsk('go on', { session: 's' });
  const [, , asked, first, second, , question] = model.seen[1]?.body.messages ?? [];
  expect([asked?.role, first?.role, second?.role]).toEqual(['assistant', 'tool', 'tool']);
  expect(second?.content).toContain('cancelled');
  expect(question ?? model.seen[1]?.body.messages.at(-1)).toMatchObject({ role: 'user', content: 'go on' });
});

test('an interactive session: questions, tools, another model, a clean slate', async () => {
  await using model = await openScriptedModel(says('first'), says('second'), says('third'));
  using world = openAskWorld(model.url, {
    config: {
      models: { test: { model: 'm', url: model.url }, other: { model: 'o', url: model.url } },
      ask: { model: 'test' },
    },
  });
  const typed = [
    'hello',
    '/tools',
    '/model',
    '/model other',
    '/ask and you?',
    '/clear',
    '/nonsense',
    '',
    'new',
    '/exit',
    'never',
  ];

  const ran = await world.sekishoAsk(undefined, {}, { typed: typed.map((line) => `${line}\n`).join('') });

  expect(ran).toMatchObject({ code: 0, stdout: 'first\nsecond\nthird\n' });
  expect(ran.stderr).toContain('read_file  ');
  expect(ran.stderr).toContain(`test (m, ${model.url}) · test, other`);
  expect(ran.stderr).toContain('/ask QUESTION · /tools · /clear · /model [NAME] · /exit');
  expect(model.seen.map(({ body }) => [body.model, body.messages.length])).toEqual([
    ['m', 2],
    ['o', 4],
    ['o', 2],
  ]);
});

test('an interactive session at a terminal ends at Ctrl-D, and Ctrl-C twice', async () => {
  await using model = await openScriptedModel(says('hi'));
  using world = openAskWorld(model.url);
  for (const keys of [
    ['hello\r', '\x04'],
    ['\x03', '\x03'],
  ]) {
    const terminal = new PassThrough();
    let prompts = 0;
    const ran = await world.sekishoAsk(
      undefined,
      {},
      {
        terminal,
        onShown: (shown) => {
          const seen = shown.split(/> |leaves\.\n/).length - 1;
          while (prompts < seen && keys[prompts] !== undefined) terminal.write(keys[prompts++]);
        },
      },
    );
    expect(ran.code).toBe(0);
  }
  expect(model.seen).toHaveLength(1);
});

test('a question cancelled while the model speaks keeps what it said', async () => {
  await using model = await openScriptedModel((_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    send(response, { delta: { content: 'half an' } });
  }, says('ok'));
  using world = openAskWorld(model.url);

  const ran = await world.sekishoAsk(
    'speak',
    { session: 's' },
    { onShown: (shown) => shown.includes('half an') && world.interrupt() },
  );
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('Cancelled.') });

  await world.sekishoAsk('go on', { session: 's' });
  expect(model.seen[1]?.body.messages.slice(1)).toMatchObject([
    { role: 'user', content: 'speak' },
    { role: 'assistant', content: 'half an …' },
    { role: 'user', content: 'go on' },
  ]);
});

test('what a tool calls secret is neither shown nor kept', async () => {
  await using model = await openScriptedModel(
    calls(['authenticate', { agent_id: 'a', passkey: 'open-sesame' }]),
    says('no'),
  );
  using world = openAskWorld(model.url, { flags: { toolsets: ['collaboration'] } });

  const ran = await world.sekishoAsk('sign in', { session: 's', eventOutput: true });

  expect(ran.stdout).toContain('"passkey":"[secret]"');
  expect(ran.stdout + ran.stderr + world.session('s')).not.toContain('open-sesame');
});
