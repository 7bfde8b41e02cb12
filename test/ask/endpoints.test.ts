import { expect, test } from 'vitest';
import type { Answer, Endpoint, Message } from './one-answer.ts';
import { oneAnswer } from './one-answer.ts';
import { openScriptedModel, type Step } from './scripted-model.ts';

/** Sends these events as they are. */
function sends(...events: readonly (string | object)[]): Step {
  return (_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const event of events) {
      response.write(typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  };
}

const done = 'data: [DONE]\n\n';
const delta = (part: object, finish: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: part, finish_reason: finish }],
});
const stop = delta({}, 'stop');
const read = (path: string) => ({ tool: 'read_file', words: JSON.stringify({ path }) });
const asked = (path: string) => ({ name: 'read_file', arguments: JSON.stringify({ path }) });

test.each([
  [
    'GLM-4.7 thinks in reasoning_content and sends role with everything',
    [
      delta({ role: 'assistant', reasoning_content: 'let me ' }),
      delta({ role: 'assistant', reasoning_content: 'see' }),
      delta({ role: 'assistant', content: '\nHello' }),
      {
        ...delta({ role: 'assistant', content: '' }, 'stop'),
        usage: { prompt_tokens: 7, completion_tokens: 9 },
      },
      done,
    ],
    { text: '\nHello', reasoning: 'let me see', inputTokens: 7, outputTokens: 9 },
  ],
  [
    'OpenRouter sends comments, `reasoning`, and counts in a chunk without choices',
    [
      ': OPENROUTER PROCESSING\n\n',
      delta({ role: 'assistant', content: '', reasoning: 'hm', reasoning_details: [{ type: 'x' }] }),
      ': OPENROUTER PROCESSING\n\n',
      delta({ content: 'ok' }),
      stop,
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, cost: 0.1, is_byok: false } },
      done,
    ],
    { text: 'ok', reasoning: 'hm', inputTokens: 3, outputTokens: 4 },
  ],
  [
    'Azure begins with a chunk of filter results and no choices',
    [
      { choices: [], created: 0, id: '', model: '', prompt_filter_results: [{ prompt_index: 0 }] },
      delta({ role: 'assistant', content: 'ok' }),
      stop,
      done,
    ],
    { text: 'ok' },
  ],
  [
    'Ollama gives each of several calls the index 0, whole, and stops with "stop"',
    [
      delta({
        content: '',
        tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: asked('a') }],
      }),
      delta({
        content: '',
        tool_calls: [{ index: 0, id: 'call_b', type: 'function', function: asked('b') }],
      }),
      stop,
      done,
    ],
    { calls: [read('a'), read('b')] },
  ],
  [
    'older Ollama gives none',
    [
      delta({ tool_calls: [{ id: 'call_a', type: 'function', function: asked('a') }] }),
      delta({ tool_calls: [{ id: 'call_b', type: 'function', function: asked('b') }] }),
      stop,
    ],
    { calls: [read('a'), read('b')] },
  ],
  [
    'llama.cpp sends arguments as an object',
    [
      delta({
        tool_calls: [{ index: 0, id: 'a', function: { name: 'read_file', arguments: { path: 'a' } } }],
      }),
      delta({}, 'tool_calls'),
      done,
    ],
    { calls: [read('a')] },
  ],
  [
    'LM Studio repeats an empty name, and an id that is empty',
    [
      delta({
        tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'read_file', arguments: '' } }],
      }),
      delta({ tool_calls: [{ index: 0, id: '', function: { name: '', arguments: '{"path":' } }] }),
      delta({ tool_calls: [{ index: 0, id: '', function: { name: '', arguments: '"a"}' } }] }),
      delta({}, 'tool_calls'),
      done,
    ],
    { calls: [read('a')] },
  ],
  [
    'llama.cpp repeats the name and the id with each part',
    [
      delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read_file', arguments: '{"path":' } }] }),
      delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read_file', arguments: '"a"}' } }] }),
      delta({}, 'tool_calls'),
      done,
    ],
    { calls: [read('a')] },
  ],
  [
    'vLLM sends a call in parts, its counts beside each, and ids for the first only',
    [
      delta({ role: 'assistant', content: null, tool_calls: null }),
      delta({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'read_file' } }] }),
      {
        ...delta({ tool_calls: [{ index: 0, function: { arguments: '{"path": ' } }] }),
        usage: { prompt_tokens: 1 },
      },
      {
        ...delta({ tool_calls: [{ index: 0, function: { arguments: '"a"}' } }] }),
        usage: { prompt_tokens: 1 },
      },
      { ...delta({ content: '' }, 'tool_calls'), usage: null },
      done,
    ],
    { calls: [{ tool: 'read_file', words: '{"path": "a"}' }] },
  ],
  ['no finish_reason comes, only [DONE]', [delta({ content: 'ok' }), done], { text: 'ok' }],
  ['[DONE] does not come', [delta({ content: 'ok' }), stop], { text: 'ok' }],
  [
    'there is no space after "data:"',
    [`data:${JSON.stringify(delta({ content: 'ok' }))}\n\n`, stop],
    { text: 'ok' },
  ],
  [
    'lines end with CR LF, and events have names and ids',
    [
      `id: 1\r\nevent: message\r\ndata: ${JSON.stringify(delta({ content: 'ok' }))}\r\n\r\n`,
      `retry: 100\r\ndata: ${JSON.stringify(stop)}\r\n\r\n`,
    ],
    { text: 'ok' },
  ],
  [
    'the role is one of its own, ids are numbers and times are text',
    [{ ...delta({ role: 'model', content: 'ok' }), id: 7, created: 'now' }, stop],
    { text: 'ok' },
  ],
  [
    'content comes in parts with types (Mistral)',
    [
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }),
      delta({ content: [{ type: 'text', text: 'ok' }] }),
      stop,
    ],
    { text: 'ok', reasoning: 'hm' },
  ],
  [
    'thoughts stand in the content, in tags that are cut anywhere',
    ['<th', 'ink>\nle', 't me see</thi', 'nk>\n', '\nIt is <think> of', ' course.']
      .map((content) => delta({ content }))
      .concat(stop),
    { text: 'It is <think> of course.', reasoning: '\nlet me see' },
  ],
  [
    'thoughts stand before a call',
    [
      delta({ content: '<think>hm</think>' }),
      delta({ tool_calls: [{ index: 0, id: 'a', function: asked('a') }] }),
      stop,
    ],
    { text: '', reasoning: 'hm', calls: [read('a')] },
  ],
  [
    'a refusal comes in a field of its own',
    [delta({ refusal: 'I will not.' }), stop],
    { text: 'I will not.' },
  ],
] satisfies [string, (string | object)[], object][])('%s', async (_what, events, wanted) => {
  await using server = await openScriptedModel(sends(...events));
  const { result, shown } = await oneAnswer(server.url);
  expect(result).toMatchObject(wanted);
  expect(shown).toBe((result as Answer).text);
  expect(server.seen).toHaveLength(1);
  const ids = (result as Answer).calls.map((call) => call.callId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a remark among the chunks is passed over, and told where nothing else comes', async () => {
  const remark = 'data: : OPENROUTER PROCESSING\n\n';
  await using server = await openScriptedModel(sends(remark, delta({ content: 'ok' }), remark, stop, done));
  expect(await oneAnswer(server.url)).toMatchObject({ shown: 'ok', result: { text: 'ok' }, retries: [] });

  await using broken = await openScriptedModel(sends('data: upstream is gone\n\n', done));
  expect(((await oneAnswer(broken.url)).result as Error).message).toContain('upstream is gone');

  await using half = await openScriptedModel(
    sends(delta({ content: '' }), 'data: {"choices":[{"del\n\n', done),
  );
  expect((await oneAnswer(half.url)).result).toBeInstanceOf(Error);
});

test.each([
  ['no index', {}],
  ['an index', { index: 0 }],
])('arguments that come before the name, with %s, are of that call', async (_which, index) => {
  const call = (part: object) =>
    delta({ tool_calls: [{ ...index, id: 'c', type: 'function', function: part }] });
  await using server = await openScriptedModel(
    sends(
      call({ arguments: '{"pa' }),
      call({ name: 'read_file', arguments: 'th":"a"}' }),
      delta({}, 'tool_calls'),
    ),
  );
  expect((await oneAnswer(server.url)).result).toMatchObject({ calls: [{ callId: 'c', ...read('a') }] });
});

test('two calls without an index are told apart by their ids, however their deltas are mixed', async () => {
  const call = (id: string, part: object) => delta({ tool_calls: [{ id, function: part }] });
  await using server = await openScriptedModel(
    sends(
      call('a', { name: 'read_file' }),
      call('b', { arguments: '{"path":' }),
      call('a', { arguments: '{"path":"a"}' }),
      call('b', { name: 'read_file', arguments: '"b"}' }),
      stop,
    ),
  );
  expect((await oneAnswer(server.url)).result).toMatchObject({ calls: [read('a'), read('b')] });
});

test.each([
  [['</think>\n\nThe answer is 4.'], 'The answer is 4.'],
  [['</thi', 'nk>', '\nok'], 'ok'],
  [['</thi', 's is no tag'], '</this is no tag'],
])('the end of thoughts that came in their own field, as words (%j), is not shown', async (words, wanted) => {
  await using server = await openScriptedModel(
    sends(delta({ reasoning_content: 'x' }), ...words.map((content) => delta({ content })), stop),
  );
  expect(await oneAnswer(server.url)).toMatchObject({
    shown: wanted,
    result: { reasoning: 'x', text: wanted },
  });
});

const answeredBefore: Message[] = [
  { role: 'user', text: 'go' },
  { role: 'assistant', text: '', reasoning: 'hm', calls: [{ callId: 'a', tool: 'x', words: '{}' }] },
  { role: 'tool', callId: 'a', tool: 'x', text: '1' },
  { role: 'assistant', text: '', calls: [{ callId: 'b', tool: 'x', words: '{}' }] },
  { role: 'tool', callId: 'b', tool: 'x', text: '2' },
];

test.each([
  ['nothing', () => undefined, ['hm', undefined], 1],
  [
    'thoughts with every answer',
    (thoughts: readonly unknown[]) =>
      thoughts.includes(undefined)
        ? 'The `reasoning_content` in the thinking mode must be passed back.'
        : undefined,
    ['hm', ''],
    2,
  ],
  [
    'no thoughts',
    (thoughts: readonly unknown[]) =>
      thoughts.some((thought) => thought !== undefined)
        ? 'body.messages.1.reasoning_content: Extra inputs are not permitted'
        : undefined,
    [undefined, undefined],
    2,
  ],
  ['what no form gives', () => 'reasoning_content must be a song', ['hm', ''], 2],
] as const)(
  'a server that wants %s of earlier answers gets it, and no null',
  async (_what, refuse, sent, tries) => {
    await using server = await openScriptedModel((seen, response, request) => {
      const answers = seen.body.messages.filter((message) => message.role === 'assistant');
      const said = refuse(answers.map((message) => message.reasoning_content));
      if (said === undefined) return sends(delta({ content: 'ok' }), stop)(seen, response, request);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: said } }));
    });
    const { result } = await oneAnswer(server.url, {}, {}, undefined, answeredBefore);
    const answers = server.seen.at(-1)?.body.messages.filter((message) => message.role === 'assistant') ?? [];
    expect(answers.map((message) => message.reasoning_content)).toEqual(sent);
    expect(answers.map((message) => message.content)).toEqual(['', '']);
    expect(server.seen).toHaveLength(tries);
    if (refuse([]) === undefined) expect(result).toMatchObject({ text: 'ok' });
    else expect((result as Error).message).toContain('must be a song');
  },
);

test('a server that does not stream is read as if it did', async () => {
  await using server = await openScriptedModel((_seen, response) => {
    const message = {
      role: 'assistant',
      content: 'I look.',
      reasoning_content: 'hm',
      tool_calls: [
        { id: 'a', type: 'function', function: asked('a') },
        { id: 'b', type: 'function', function: asked('b') },
      ],
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
        usage: { prompt_tokens: 1, completion_tokens: 2 },
      }),
    );
  });
  expect(await oneAnswer(server.url)).toMatchObject({
    shown: 'I look.',
    result: { reasoning: 'hm', calls: [read('a'), read('b')], inputTokens: 1 },
  });
});

test.each([
  ['ends with </think> alone', ['hm', 'm</think>', '\n\nok'], { text: 'ok', reasoning: 'hmm' }],
  ['does not think this time', ['ok', ' then'], { text: 'ok then', reasoning: '' }],
])('a model whose prompt opens the thoughts and that %s', async (_how, words, wanted) => {
  await using server = await openScriptedModel(sends(...words.map((content) => delta({ content })), stop));
  const { result, shown } = await oneAnswer(server.url, {
    beginsInThought: true,
  } satisfies Partial<Endpoint>);
  expect(result).toMatchObject(wanted);
  expect(shown).toBe(wanted.text);
});

test.each([
  ['an error as data', [{ error: { message: 'overloaded', code: 502 } }], 'overloaded'],
  [
    'an error beside choices',
    [{ ...delta({ content: '' }, 'error'), error: { code: 502, message: 'gone' } }],
    'gone',
  ],
  ['an error as text', [{ error: 'out of memory' }], 'out of memory'],
  ['an error with a number only', [{ error: { code: 1302 } }], '1302'],
  ['an error of older vLLM', [{ object: 'error', message: 'engine died', code: 500 }], 'engine died'],
  ['an error after its name', [`event: error\ndata: {"error":{"message":"named"}}\n\n`], 'named'],
  ['an error on a bare line', ['{"error":"bare"}\n'], 'bare'],
  ['network_error, as Z.ai does', [delta({ content: '' }, 'network_error')], 'network_error'],
])('%s in a stream of success is tried again, and its reason told', async (_what, events, reason) => {
  await using server = await openScriptedModel(sends(...events));
  const { result, retries } = await oneAnswer(server.url);
  expect(retries).toHaveLength(3);
  expect((result as Error).message).toContain(reason);
});

test.each([
  ['sensitive', 'Z.ai'],
  ['content_filter', 'Azure'],
])('an answer that ends with %s (%s) is said to be filtered, not asked for again', async (finish) => {
  await using server = await openScriptedModel(sends(delta({ content: 'half' }), delta({}, finish)));
  const { result } = await oneAnswer(server.url);
  expect(result).toMatchObject({ filtered: true, text: 'half' });
  expect(server.seen).toHaveLength(1);
});

test("Azure's version stays in the query, and its key has a header of its own", async () => {
  let asked: { url: string | undefined; key: unknown; authorization: unknown } | undefined;
  await using server = await openScriptedModel((_seen, response, request) => {
    asked = {
      url: request.url,
      key: request.headers['api-key'],
      authorization: request.headers.authorization,
    };
    void sends(delta({ content: 'ok' }), stop)(_seen, response, request);
  });
  await oneAnswer(`${server.url}/deployments/x?api-version=2024-10-21`, { keyHeader: 'api-key' });
  expect(asked).toEqual({
    url: '/v1/deployments/x/chat/completions?api-version=2024-10-21',
    key: 'sk-secret',
    authorization: undefined,
  });
});

test('a conversation whose arguments were broken is sent back mended', async () => {
  const messages: Message[] = [
    { role: 'user', text: 'go' },
    { role: 'assistant', text: '', calls: [{ callId: 'a', tool: 'x', words: '{"a"' }] },
    { role: 'tool', callId: 'a', tool: 'x', text: 'invalid_parameter' },
  ];
  await using server = await openScriptedModel(sends(delta({ content: 'ok' }), stop));
  await oneAnswer(server.url, {}, {}, undefined, messages);
  expect(server.seen[0]?.body.messages[2]?.tool_calls?.[0]?.function.arguments).toBe('{}');
});
