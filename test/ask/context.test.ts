import { expect, test } from 'vitest';
import { eventsOf, openAskWorld } from './ask-world.ts';
import { answersStatus, calls, openScriptedModel, type Step, says } from './scripted-model.ts';

/** A server whose model takes no more than so many characters, and says it as this one does. */
function takes(maxChars: number, refusal: Step, next: Step): Step {
  return (seen, response, request) =>
    (JSON.stringify(seen.body.messages).length > maxChars ? refusal : next)(seen, response, request);
}

test.each([
  [
    'OpenAI',
    400,
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
  ],
  [
    'llama.cpp',
    400,
    'request (9001 tokens) exceeds the available context size (8192 tokens), try increasing it',
  ],
  [
    'LM Studio',
    400,
    'The number of tokens to keep from the initial prompt is greater than the context length.',
  ],
  ['Z.ai', 400, 'Prompt exceeds max length'],
  ['a proxy', 413, 'Payload Too Large'],
  ['llama-server', 500, 'Context size has been exceeded.'],
  ['Gemini', 400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
  ['Moonshot', 400, 'Invalid request: Your request exceeded model token limit: 131072'],
  ['Bedrock', 400, 'Input is too long for requested model.'],
  ['TGI', 422, '`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9001 `inputs` tokens'],
  ['Groq', 400, 'Please reduce the length of the messages or completion.'],
])(
  'where the model takes less than configured, half is sent, as %s says it',
  async (_who, status, message) => {
    const refusal = answersStatus(status, message);
    await using model = await openScriptedModel(
      calls(['read_file', { path: 'a.txt' }], ['read_file', { path: 'b.txt' }]),
      takes(12_000, refusal, says('Both are long.')),
    );
    using world = openAskWorld(model.url, {
      files: { 'a.txt': 'A'.repeat(20_000), 'b.txt': 'B'.repeat(20_000) },
    });

    const ran = await world.sekishoAsk('read both', { eventOutput: true });

    expect(ran.code).toBe(0);
    const events = eventsOf(ran);
    expect(events.filter((event) => event.type === 'shortened').at(-1)).toEqual({
      type: 'shortened',
      left_out_messages: 0,
      shortened_results: 2,
    });
    const results = model.seen.at(-1)?.body.messages.slice(-2) ?? [];
    expect(results.map(({ content }) => content?.[0])).toEqual(['A', 'B']);
    for (const { content } of results) {
      expect(content).toMatch(/\[cut to make room; 2\d{4} characters in all\./);
      expect(content?.length).toBeGreaterThan(1000);
    }
  },
);

test('where the server says only in the stream that it is too much, half is sent at once', async () => {
  const refusal: Step = (_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end('data: {"error":{"code":500,"message":"Context size has been exceeded."}}\n\n');
  };
  await using model = await openScriptedModel(
    calls(['read_file', { path: 'a.txt' }]),
    takes(12_000, refusal, says('Long.')),
  );
  using world = openAskWorld(model.url, { files: { 'a.txt': 'A'.repeat(20_000) } });

  const ran = await world.sekishoAsk('read it', { eventOutput: true });

  expect(ran.code).toBe(0);
  expect(eventsOf(ran).map((event) => event.type)).not.toContain('retry');
});

test('a limit of tokens a minute is waited for, not taken for one of length', async () => {
  await using model = await openScriptedModel(
    answersStatus(429, 'Rate limit reached: maximum input tokens per minute'),
    says('ok'),
  );
  using world = openAskWorld(model.url);

  const ran = await world.sekishoAsk('go', { eventOutput: true });

  expect(eventsOf(ran).map((event) => event.type)).toEqual(['start', 'round', 'retry', 'text', 'end']);
});

test('a question that is too much alone is said to be, with what to do', async () => {
  await using model = await openScriptedModel(answersStatus(400, 'context length exceeded'));
  using world = openAskWorld(model.url);

  const ran = await world.sekishoAsk('x'.repeat(50_000));

  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('too_large: The conversation is too long for the model test');
  expect(ran.stderr).toContain('models.test.contextChars');
  expect(model.seen).toHaveLength(1);
});

test('a person at the terminal is told once that older messages are not sent', async () => {
  await using model = await openScriptedModel(says('y'.repeat(600)));
  using world = openAskWorld(model.url, {
    config: { models: { test: { model: 'm', url: model.url, contextChars: 1000 } } },
  });

  const ran = await world.sekishoAsk(undefined, {}, { typed: 'one\ntwo\nthree\n' });

  expect(ran.stderr.match(/# The conversation is long: left out \d+ older messages?/g)).toEqual([
    '# The conversation is long: left out 2 older messages',
  ]);
});

test.each([
  [
    404,
    '{"error":{"message":"model \\"qwen3\\" not found, try pulling it first"}}',
    ['qwen3', 'ollama pull'],
  ],
  [404, '{"error":"model not found"}', ['model not found', 'ollama pull']],
  [404, '{"detail":"Not Found"}', ['Not Found', '/v1']],
  [
    400,
    '{"error":{"message":"registry.ollama.ai/library/gemma does not support tools"}}',
    ['Choose another one'],
  ],
  [
    400,
    '{"object":"error","message":"\\"auto\\" tool choice requires --enable-auto-tool-choice"}',
    ['--enable-auto-tool-choice', 'does not support tools'],
  ],
  [400, '<html><h1>Bad Request</h1><script>x</script></html>', ['Bad Request (a web page)']],
  [402, '{"error":{"code":402,"message":"Insufficient credits"}}', ['402: Insufficient credits']],
  [400, '', ['400: Bad Request']],
])('a refusal (%i %s) says why and what to do', async (status, body, words) => {
  await using model = await openScriptedModel((_seen, response) => {
    response.writeHead(status, { 'content-type': body.startsWith('<') ? 'text/html' : 'application/json' });
    response.end(body);
  });
  using world = openAskWorld(model.url);

  const ran = await world.sekishoAsk('hi');

  expect(ran.code).toBe(1);
  for (const word of words) expect(ran.stderr).toContain(word);
  expect(ran.stderr).not.toContain('<');
  expect(model.seen).toHaveLength(1);
});

test('a page instead of an answer is said to be one, with where to look', async () => {
  await using model = await openScriptedModel(
    (_seen, response) =>
      void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Sign in</h1>'),
  );
  using world = openAskWorld(model.url);
  const ran = await world.sekishoAsk('hi');
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(ran.stderr).toContain('a web page (text/html; charset=utf-8)');
});

test('what a model thinks is shown beside the answer, and only where it is asked for', async () => {
  const thinks = calls.thinking('pl\u001b[31man', ['list_files', {}]);
  await using model = await openScriptedModel(
    thinks,
    says('done'),
    thinks,
    says('done'),
    thinks,
    says('done'),
  );
  using world = openAskWorld(model.url);

  expect((await world.sekishoAsk('go')).stderr).not.toContain('plan');
  const shown = await world.sekishoAsk('go', { showReasoning: true });
  expect(shown.stderr).toMatch(/\nplan\n→ list_files/);
  expect(shown.stdout).toBe('done\n');
  expect((await world.sekishoAsk('go', { eventOutput: true })).stdout).not.toContain('reasoning');
});
