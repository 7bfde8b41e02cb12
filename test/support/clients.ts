import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { StdioOptions } from '../../src/transport/stdio.ts';
import { serveStdio } from '../../src/transport/stdio.ts';
import { createFixtureGateway, type FixtureGateway } from './fixture-gateway.ts';

export type Message = Record<string, unknown> & { readonly id?: unknown };

/** A client that speaks raw JSON lines, so that a test sees exactly what was sent. */
export interface LineClient {
  readonly received: Message[];
  /** Sends a line as it is. */
  write(text: string | Uint8Array): void;
  send(message: object): void;
  /** Sends a request and resolves with its answer. */
  request(method: string, params?: object, id?: string | number): Promise<Message>;
  call(tool: string, input: object, meta?: object): Promise<Message>;
  /** Resolves with the first message that fits, received already or to come. */
  next(fits: (message: Message) => boolean): Promise<Message>;
  /** Ends the input. */
  end(): void;
}

export function createLineClient(input: Writable, output: Readable): LineClient {
  const received: Message[] = [];
  const waiting = new Set<{ fits: (message: Message) => boolean; resolve: (message: Message) => void }>();
  let rest: Buffer[] = [];
  let ids = 0;

  output.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
      rest.push(chunk.subarray(start, at));
      const message = JSON.parse(Buffer.concat(rest).toString('utf8')) as Message;
      rest = [];
      start = at + 1;
      received.push(message);
      for (const one of waiting) {
        if (one.fits(message)) {
          waiting.delete(one);
          one.resolve(message);
        }
      }
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  });

  const client: LineClient = {
    received,
    write: (text) => void input.write(text),
    send: (message) => void input.write(`${JSON.stringify(message)}\n`),
    next(fits) {
      const known = received.find(fits);
      if (known) return Promise.resolve(known);
      return new Promise((resolve) => waiting.add({ fits, resolve }));
    },
    request(method, params, id = `r${++ids}`) {
      client.send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
      return client.next((message) => message.id === id && message.method === undefined);
    },
    call: (name, args, meta) =>
      client.request('tools/call', { name, arguments: args, ...(meta && { _meta: meta }) }),
    end: () => void input.end(),
  };
  return client;
}

/** A fixture gateway and a raw client, joined in this process. */
export function openStdio(options: Partial<StdioOptions> & { readonly gateway?: FixtureGateway } = {}): {
  readonly client: LineClient;
  readonly gateway: FixtureGateway;
  readonly closed: Promise<void>;
  readonly output: PassThrough;
} {
  const input = new PassThrough();
  const output = new PassThrough();
  const gateway = options.gateway ?? createFixtureGateway();
  const { closed } = serveStdio({ ...options, gateway, input, output });
  return { client: createLineClient(input, output), gateway, closed, output };
}

/** The fixture served by a process of its own. */
export function spawnFixture(): { readonly client: LineClient; readonly child: ChildProcess } {
  const child = spawn(process.execPath, [fixtureStdioPath], { stdio: ['pipe', 'pipe', 'inherit'] });
  return { client: createLineClient(child.stdin, child.stdout), child };
}

export const fixtureStdioPath = fileURLToPath(new URL('fixture-stdio.ts', import.meta.url));

export async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

/** The `_meta` that every request of revision 2026-07-28 carries. */
export function modernMeta(capabilities: object = {}, more: object = {}): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...more,
  };
}

/** What an HTTP answer held: one JSON body, or the events of a stream. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly messages: readonly Message[];
}

/** Posts a message as revision 2026-07-28 wants it, or with other headers where a test says so. */
export async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<HttpAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, messages: messagesOf(text) };
}

/** The headers that go with a request of revision 2026-07-28. */
export function modernHeaders(method: string, name?: string): Record<string, string> {
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  };
}

export function modernCall(tool: string, input: object, meta: object = {}): object {
  return {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool, arguments: input, _meta: modernMeta({}, meta) },
  };
}

/** A session of an older revision over HTTP. */
export async function openSession(
  url: string,
  capabilities: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const { headers: answered } = await post(
    url,
    {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'raw', version: '1' } },
    },
    headers,
  );
  return {
    ...headers,
    'mcp-session-id': answered.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
  };
}

/** Messages of a stream of events, as they come. */
export async function* readEvents(response: Response): AsyncGenerator<Message> {
  let rest = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = `${rest}${chunk}`.split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) yield* messagesOf(event);
  }
}

function messagesOf(text: string): Message[] {
  if (text.startsWith('{')) return [JSON.parse(text) as Message];
  if (text.startsWith('[')) return JSON.parse(text) as Message[];
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)) as Message);
}
