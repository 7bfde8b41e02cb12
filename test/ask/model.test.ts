import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import type { ToolError } from '../../src/contract/error.ts';
import { openAskWorld } from './ask-world.ts';
import { oneAnswer } from './one-answer.ts';
import { answersStatus, calls, openScriptedModel, type Step, says, send, stream } from './scripted-model.ts';

test('words are shown as they come', async () => {
  await using server = await openScriptedModel(says('one ', 'two ', 'three'));
  const { result, shown } = await oneAnswer(server.url);
  expect(shown).toBe('one two three');
  expect(result).toMatchObject({ text: 'one two three', calls: [], cut: false });
});

test('characters that arrive in two pieces are whole', async () => {
  await using server = await openScriptedModel((_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const bytes = Buffer.from(
      'data: {"choices":[{"index":0,"delta":{"content":"好きな色は青😀"}}]}\n\ndata: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
    );
    const writeFrom = (at: number): void => {
      if (at >= bytes.length) response.end();
      else response.write(bytes.subarray(at, at + 7), () => writeFrom(at + 7));
    };
    writeFrom(0);
  });
  expect(await oneAnswer(server.url)).toMatchObject({ result: { text: '好きな色は青😀' } });
});

test('calls count though the server says that it simply stopped, and ones without an id get one', async () => {
  await using server = await openScriptedModel((_seen, response) => {
    const call = (index: number, name: string) => ({
      tool_calls: [{ index, function: { name, arguments: '{"a":1}' } }],
    });
    stream(response, [call(0, 'x'), call(1, 'x')], 'stop');
  });
  const { result } = await oneAnswer(server.url);
  expect(result).toMatchObject({
    calls: [
      { tool: 'x', words: '{"a":1}' },
      { tool: 'x', words: '{"a":1}' },
    ],
  });
  const ids = (result as { calls: { callId: string }[] }).calls.map((call) => call.callId);
  expect(new Set(ids).size).toBe(2);
});

test.each([429, 500, 502, 503, 529])('%i is tried again', async (status) => {
  await using server = await openScriptedModel(
    answersStatus(status, 'busy'),
    answersStatus(status, 'busy'),
    says('ok'),
  );
  expect(await oneAnswer(server.url)).toMatchObject({ result: { text: 'ok' }, retries: [1, 1] });
});

test('a server that stays busy is given up after four attempts, with its own reason', async () => {
  await using server = await openScriptedModel(answersStatus(500, 'out of memory'));
  const { result } = await oneAnswer(server.url);
  expect(server.seen).toHaveLength(4);
  expect(result).toMatchObject({
    code: 'upstream_error',
    text: { en: 'The server of the model test answered 500: out of memory' },
  });
});

test('the wait that a server asks for is kept, unless it is too long', async () => {
  await using soon = await openScriptedModel(
    answersStatus(429, 'slow down', { 'retry-after': '0.05' }),
    says('ok'),
  );
  expect(await oneAnswer(soon.url)).toMatchObject({ result: { text: 'ok' }, retries: [50] });

  await using later = await openScriptedModel(answersStatus(429, 'quota', { 'retry-after': '3600' }));
  expect(await oneAnswer(later.url)).toMatchObject({ result: { code: 'rate_limited' }, retries: [] });
  expect(later.seen).toHaveLength(1);
});

test.each([
  [400, 'upstream_error'],
  [401, 'unauthenticated'],
  [403, 'unauthenticated'],
  [404, 'upstream_error'],
])('%i is not tried again', async (status, code) => {
  await using server = await openScriptedModel(answersStatus(status, 'no'));
  const { result } = await oneAnswer(server.url);
  expect(result).toMatchObject({ code });
  expect(server.seen).toHaveLength(1);
});

test("a server's words are shown on one line, cleaned, and without the key", async () => {
  await using server = await openScriptedModel(
    answersStatus(401, 'bad key sk-secret\u001b[2J\nsee \u202eexample'),
  );
  const { result } = await oneAnswer(server.url);
  expect((result as ToolError).text.en).toBe(
    'The server of the model test answered 401: bad key …\\nsee \\u202eexample',
  );
});

const hangs: Step = () => {};
const hangsAfter =
  (...deltas: readonly object[]): Step =>
  (_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const delta of deltas) send(response, { delta });
  };

test('a server that hangs is given up, before the first word tried again', async () => {
  await using server = await openScriptedModel(hangs, says('ok'));
  expect(await oneAnswer(server.url, { silenceMs: 2500 })).toMatchObject({
    result: { text: 'ok' },
    retries: [1],
  });
});

test('a server that hangs after words were shown is not asked again, which would show them twice', async () => {
  await using server = await openScriptedModel(hangsAfter({ content: 'half ' }));
  const { result, shown } = await oneAnswer(server.url, { silenceMs: 2500 });
  expect(result).toMatchObject({ code: 'timed_out' });
  expect(shown).toBe('half ');
  expect(server.seen).toHaveLength(1);
});

test.each([
  ['before it answered', hangs],
  ['in the middle of words', hangsAfter({ content: 'half ' })],
  [
    'in the middle of a call',
    hangsAfter({ tool_calls: [{ index: 0, id: 'c', function: { name: 'x', arguments: '{' } }] }),
  ],
])('cancelling stops a server that hangs %s', async (_when, step) => {
  const cancel = new AbortController();
  await using server = await openScriptedModel((seen, response, request) => {
    step(seen, response, request);
    setTimeout(() => cancel.abort(), 50);
  });
  const { result } = await oneAnswer(server.url, {}, {}, cancel.signal);
  expect(result).toMatchObject({ code: 'cancelled' });
});

test('cancelling ends the wait before another attempt', async () => {
  const cancel = new AbortController();
  await using server = await openScriptedModel((seen, response, request) => {
    setTimeout(() => cancel.abort(), 50);
    void answersStatus(500, 'busy')(seen, response, request);
  });
  const { result } = await oneAnswer(server.url, {}, { retryDelaysMs: [600_000] }, cancel.signal);
  expect(result).toMatchObject({ code: 'cancelled' });
});

test.each([
  ['closes without an answer', (_seen, response) => void response.destroy()],
  [
    'closes in the middle of a call',
    (_seen, response) => {
      stream(
        response,
        [{ tool_calls: [{ index: 0, id: 'c', function: { name: 'x', arguments: '{"a": 1' } }] }],
        undefined,
      );
    },
  ],
  [
    'sends what is no JSON',
    (_seen, response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {oops\n\n'),
  ],
  [
    'sends an error in the stream',
    (_seen, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end('data: {"error":{"message":"overloaded"}}\n\n'),
  ],
  [
    'answers with a page',
    (_seen, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hi</h1>'),
  ],
] satisfies [string, Step][])('a server that %s is tried again', async (_what, step) => {
  await using server = await openScriptedModel(step, says('ok'));
  expect(await oneAnswer(server.url)).toMatchObject({ result: { text: 'ok', calls: [] } });
});

test('an answer without an end is stopped', async () => {
  await using server = await openScriptedModel((_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const more = () => {
      while (
        !response.destroyed &&
        response.write(
          `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(5000) } }] })}\n\n`,
        )
      );
    };
    response.on('drain', more);
    more();
  });
  const { result, shown } = await oneAnswer(server.url, {}, { maxAnswerChars: 100_000 });
  expect(result).toMatchObject({ code: 'too_large' });
  expect(shown.length).toBeLessThanOrEqual(100_000);
});

test('an event without an end is cut off', async () => {
  await using server = await openScriptedModel((_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: ');
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(50_000)));
    };
    response.on('drain', more);
    more();
  });
  expect(await oneAnswer(server.url, {}, { maxReplyBytes: 1_000_000 })).toMatchObject({
    result: { code: 'too_large' },
    retries: [],
  });
});

test('more calls in one round than anybody needs are refused', async () => {
  await using server = await openScriptedModel(
    calls(...Array.from({ length: 33 }, () => ['x', {}] as const)),
  );
  expect(await oneAnswer(server.url)).toMatchObject({ result: { code: 'too_large' } });
});

test('the conversation and the key follow no redirect', async () => {
  await using elsewhere = await openScriptedModel(says('gotcha'));
  await using server = await openScriptedModel((_seen, response) => {
    response.writeHead(307, { location: `${elsewhere.url}/chat/completions` }).end();
  });
  const { result } = await oneAnswer(server.url);
  expect(result).toMatchObject({ code: 'upstream_error', details: { status: 307 } });
  expect(elsewhere.seen).toEqual([]);
});

test('a server that is not there is named, with exit code 3, and the key appears nowhere', async () => {
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port } = gone.address() as AddressInfo;
  gone.close();
  using world = openAskWorld(`http://127.0.0.1:${port}/v1`);

  const ran = await world.sekishoAsk('hello', { session: 'kept' });

  expect(ran.code).toBe(3);
  expect(ran.stderr).toContain(
    `unavailable: No server for the model test answers at http://127.0.0.1:${port}/v1 (ECONNREFUSED). Is it running`,
  );
  expect(ran.stderr).not.toContain('↻');
  expect(ran.stdout + ran.stderr + world.session('kept')).not.toContain('sk-secret');
});

test('a refused key exits 2', async () => {
  await using server = await openScriptedModel(answersStatus(401, 'invalid key'));
  using world = openAskWorld(server.url);
  expect(await world.sekishoAsk('hello')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('401: invalid key'),
  });
});
