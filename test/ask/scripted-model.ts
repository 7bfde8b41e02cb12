import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request of the client as the server saw it. */
export interface Seen {
  readonly authorization: string | undefined;
  readonly body: {
    readonly model: string;
    readonly messages: readonly {
      readonly role: string;
      readonly content: string | null;
      readonly tool_call_id?: string;
      readonly tool_calls?: readonly {
        readonly id: string;
        readonly function: { readonly name: string; readonly arguments: string };
      }[];
      readonly reasoning_content?: string;
    }[];
    readonly tools?: readonly {
      readonly function: { readonly name: string; readonly parameters: unknown };
    }[];
  };
}

/** What the server does with the next request. */
export type Step = (seen: Seen, response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

/** A server that speaks OpenAI's chat completions and follows a script; the last step is repeated. */
export async function openScriptedModel(...script: readonly Step[]) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Seen['body'];
      const one = { authorization: request.headers.authorization, body };
      seen.push(one);
      await (script[Math.min(seen.length, script.length) - 1] as Step)(one, response, request);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, seen, close, [Symbol.asyncDispose]: close };
}

/** Streams these words, one chunk each. */
export function says(...words: readonly string[]): Step {
  return says.until('stop', ...words);
}

/** The same with another reason for the end, or none. */
says.until =
  (finish: string | undefined, ...words: readonly string[]): Step =>
  (_seen, response) =>
    stream(
      response,
      words.map((content) => ({ content })),
      finish,
    );

/** Answers with the newest result of a tool. */
export function repeatsResult(before: string): Step {
  return (seen, response, request) =>
    says(before, seen.body.messages.at(-1)?.content?.trimEnd() ?? '')(seen, response, request);
}

type Wanted = readonly [tool: string, input: unknown];

/** Calls tools, in parts as servers send them; the arguments as JSON text where they are a string. */
export function calls(...wanted: readonly Wanted[]): Step {
  return (seen, response) => stream(response, deltasOf(seen, wanted), 'tool_calls');
}

/** The same after thinking aloud. */
calls.thinking =
  (thought: string, ...wanted: readonly Wanted[]): Step =>
  (seen, response) =>
    stream(response, [{ reasoning_content: thought }, ...deltasOf(seen, wanted)], 'tool_calls');

function deltasOf(seen: Seen, wanted: readonly Wanted[]): readonly object[] {
  const round = seen.body.messages.length;
  return wanted.flatMap(([name, input], index) => {
    const words = typeof input === 'string' ? input : JSON.stringify(input);
    const middle = Math.ceil(words.length / 2);
    const start = { index, id: `c${round}-${index}`, type: 'function', function: { name, arguments: '' } };
    return [
      { tool_calls: [start] },
      { tool_calls: [{ index, function: { arguments: words.slice(0, middle) } }] },
      { tool_calls: [{ index, function: { arguments: words.slice(middle) } }] },
    ];
  });
}

export function answersStatus(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Step {
  return (_seen, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message } }));
  };
}

/** Sends the deltas as server-sent events. */
export function stream(
  response: ServerResponse,
  deltas: readonly object[],
  finish: string | undefined,
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const delta of deltas) send(response, { delta });
  if (finish !== undefined) {
    send(response, { delta: {}, finish_reason: finish });
    response.write('data: [DONE]\n\n');
  }
  response.end();
}

export function send(response: ServerResponse, choice: object): void {
  const chunk = {
    id: 'x',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, ...choice }],
  };
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}
