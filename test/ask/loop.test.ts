import { expect, test } from 'vitest';
import { eventsOf, openAskWorld } from './ask-world.ts';
import { calls, openScriptedModel, says } from './scripted-model.ts';

test("a tool's error goes back to the model, which then succeeds", async () => {
  await using model = await openScriptedModel(
    calls(['read_file', { path: 'cofig.txt' }]),
    calls(['read_file', { path: 'config.txt' }]),
    says('It is 8080.'),
  );
  using world = openAskWorld(model.url, { files: { 'config.txt': '8080' } });

  const ran = await world.sekishoAsk('Which port?');

  expect(ran).toMatchObject({ code: 0, stdout: 'It is 8080.\n' });
  expect(ran.stderr).toMatch(/✗ read_file \d+ ms: not_found/);
  expect(model.seen[1]?.body.messages.at(-1)).toMatchObject({
    role: 'tool',
    content: expect.stringContaining('not_found: '),
  });
});

test('several calls at once come back each under its own id, in order', async () => {
  await using model = await openScriptedModel(
    calls(
      ['read_file', { path: 'a.txt' }],
      ['read_file', { path: 'missing.txt' }],
      ['read_file', { path: 'b.txt' }],
    ),
    says('ok'),
  );
  using world = openAskWorld(model.url, { files: { 'a.txt': 'A', 'b.txt': 'B' } });

  await world.sekishoAsk('read them');

  const [asked, ...results] = model.seen[1]?.body.messages.slice(-4) ?? [];
  expect(asked?.tool_calls?.map((call) => call.function.arguments)).toEqual([
    '{"path":"a.txt"}',
    '{"path":"missing.txt"}',
    '{"path":"b.txt"}',
  ]);
  expect(results.map((result) => result.tool_call_id)).toEqual(asked?.tool_calls?.map((call) => call.id));
  expect(results.map((result) => result.content?.slice(0, 9))).toEqual(['A', 'not_found', 'B']);
});

test('calls that change something run in the order in which the model made them', async () => {
  await using model = await openScriptedModel(
    calls(
      ['write_file', { path: 'a.txt', content: 'one' }],
      ['edit_file', { path: 'a.txt', old_string: 'one', new_string: 'two' }],
      ['read_file', { path: 'a.txt' }],
    ),
    says('ok'),
  );
  using world = openAskWorld(model.url);

  await world.sekishoAsk('write and read');

  expect(model.seen[1]?.body.messages.at(-1)?.content).toBe('two');
});

test.each([['{"path": "a.t'], ['["a.txt"]'], ['null'], ['"a.txt"'], ['path=a.txt']])(
  'arguments that are no JSON object go back as an error: %s',
  async (words) => {
    await using model = await openScriptedModel(calls(['read_file', words]), says('sorry'));
    using world = openAskWorld(model.url, { files: { 'a.txt': 'A' } });

    const ran = await world.sekishoAsk('read it');

    expect(ran).toMatchObject({ code: 0, stdout: 'sorry\n' });
    const [asked, result] = model.seen[1]?.body.messages.slice(-2) ?? [];
    expect(result?.content).toContain(`invalid_parameter: The arguments are not one JSON object.`);
    // What goes back is valid, since servers refuse a conversation that holds anything else.
    expect(asked?.tool_calls?.[0]?.function.arguments).toBe('{}');
  },
);

test.each([
  'constructor',
  '__proto__',
  'toString',
  'read_file\u001b[31m',
  'no_such_tool',
  'a name too long for servers '.repeat(100),
])('a tool that was never offered is refused on the road and recorded (%#)', async (name) => {
  await using model = await openScriptedModel(calls([name, { path: 'a.txt' }]), says('sorry'));
  using world = openAskWorld(model.url);

  const ran = await world.sekishoAsk('go', { eventOutput: true });

  expect(ran.code).toBe(0);
  expect(eventsOf(ran).find((event) => event.type === 'result')).toMatchObject({
    ok: false,
    code: 'not_found',
    tool: name,
  });
  expect(model.seen[1]?.body.messages.at(-2)?.tool_calls?.[0]?.function.name).toMatch(/^[\w-]{1,64}$/);
  expect(await world.audited()).toMatchObject([
    { tool: expect.any(String), outcome: 'error', code: 'not_found' },
  ]);
});

test('every call is in the audit log as one of ask', async () => {
  await using model = await openScriptedModel(calls(['read_file', { path: 'a.txt' }]), says('ok'));
  using world = openAskWorld(model.url, { files: { 'a.txt': 'A' } });

  await world.sekishoAsk('go');

  const [entry] = await world.audited();
  expect(entry).toMatchObject({ tool: 'read_file', principal: 'local', outcome: 'ok' });
  expect(entry?.facts?.chain).toEqual(['local', expect.stringMatching(/^model:./)]);
});

test('after 20 rounds it stops, says so, and can go on', async () => {
  await using model = await openScriptedModel(
    ...Array.from({ length: 20 }, (_, index) => calls(['read_file', { path: `${index}.txt` }])),
    says('finished'),
  );
  using world = openAskWorld(model.url);

  const ran = await world.sekishoAsk('go', { session: 'long' });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('The limit of 20 rounds is used up, and the model has not finished.');
  expect(model.seen).toHaveLength(20);

  expect(await world.sekishoAsk('go on', { session: 'long' })).toMatchObject({
    code: 0,
    stdout: 'finished\n',
  });
});

test('an answer that the model itself cut short is not a success', async () => {
  await using model = await openScriptedModel(says.until('length', 'half an ans'));
  using world = openAskWorld(model.url);

  const ran = await world.sekishoAsk('go', { eventOutput: true });

  expect(ran.code).toBe(1);
  expect(eventsOf(ran).slice(-2)).toMatchObject([
    {
      type: 'error',
      code: 'too_large',
      message: expect.stringContaining("cut off at the model's length limit"),
    },
    { type: 'end', reason: 'length', rounds: 1 },
  ]);
});

test('a result too long for the model is cut, and says how long it was', async () => {
  await using model = await openScriptedModel(
    calls(['read_file', { path: 'a.txt', max_chars: 200_000 }]),
    says('ok'),
  );
  using world = openAskWorld(model.url, { files: { 'a.txt': `${'x'.repeat(100)}\n`.repeat(1500) } });

  await world.sekishoAsk('go');

  const content = model.seen[1]?.body.messages.at(-1)?.content ?? '';
  expect(content.length).toBeLessThan(61_000);
  expect(content).toMatch(/\[cut; \d+ characters in all\./);
});

test('thoughts go back while the question is worked on, and not with the next one', async () => {
  await using model = await openScriptedModel(
    calls.thinking('I should look.', ['read_file', { path: 'a.txt' }]),
    says('A'),
    says('B'),
  );
  using world = openAskWorld(model.url, { files: { 'a.txt': 'A' } });

  await world.sekishoAsk(undefined, {}, { typed: 'first\nsecond\n' });

  const thoughts = model.seen.map(({ body }) => body.messages.map((message) => message.reasoning_content));
  expect(thoughts[1]).toContain('I should look.');
  expect(thoughts[2]).not.toContain('I should look.');
});

test('a model that says nothing at all is a failure that can be asked again', async () => {
  await using model = await openScriptedModel(says(), says('here'));
  using world = openAskWorld(model.url);

  const ran = await world.sekishoAsk('go', { session: 's' });
  expect(ran).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The model stopped without an answer.'),
  });

  expect(await world.sekishoAsk('and now?', { session: 's' })).toMatchObject({ code: 0, stdout: 'here\n' });
});

test.each([
  ['Hermes', '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n</tool_call>'],
  [
    'Qwen',
    'I look.\n<tool_call>\n<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>',
  ],
  ['Qwen without its frame', '<function=read_file>\n<parameter=path>a.txt</parameter>\n</function>'],
  ['GLM', '<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.txt</arg_value>\n</tool_call>'],
  [
    'Kimi',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{}',
  ],
  ['DeepSeek', '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n{}'],
  ['Mistral', '[TOOL_CALLS]read_file[ARGS]{"path": "a.txt"}'],
  ['Llama', '<|python_tag|>{"name": "read_file", "parameters": {"path": "a.txt"}}'],
  ['Llama without its tag', '{"name": "read_file", "parameters": {"path": "a.txt"}}'],
  ['MiniMax', '<minimax:tool_call>\n<invoke name="read_file">\n</invoke>'],
  ['gpt-oss', '<|channel|>commentary to=functions.read_file <|message|>{"path": "a.txt"}'],
  ['a small model', '```json\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n```'],
])('a call that is written as text, as %s does, is said to be one', async (_who, words) => {
  await using model = await openScriptedModel(says(words));
  using world = openAskWorld(model.url, { files: { 'a.txt': 'A' } });

  const ran = await world.sekishoAsk('go', { eventOutput: true });

  expect(ran.code).toBe(1);
  expect(eventsOf(ran).slice(-2)).toMatchObject([
    {
      type: 'error',
      code: 'upstream_error',
      message: expect.stringMatching(/wrote a call of read_file as text.*--tool-call-parser/s),
    },
    { type: 'end', reason: 'failed' },
  ]);
});

test('a call that is written among the thoughts is said to be one', async () => {
  await using model = await openScriptedModel(
    says('<think>\n<tool_call>\n{"name": "read_file", "arguments": {}}\n</tool_call>'),
  );
  using world = openAskWorld(model.url);
  expect(await world.sekishoAsk('go')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('wrote a call of read_file as text'),
  });
});

test.each([
  'Hermes writes `<tool_call>{"name": "read_file"}</tool_call>`.',
  'For example:\n```\n<tool_call>\n{"name": "read_file", "arguments": {}}\n</tool_call>\n```\nThat is all.',
  '<tool_call>{"name": "no_such_tool", "arguments": {}}</tool_call>',
  '{"name": "read_file", "version": "1.0"}',
  '{"name": "sekisho", "arguments": []}',
  'Call read_file with a path.',
])('an answer that tells of calls is an answer: %j', async (words) => {
  await using model = await openScriptedModel(says(words));
  using world = openAskWorld(model.url);
  expect(await world.sekishoAsk('go')).toMatchObject({ code: 0, stdout: `${words}\n` });
});
