import { openAskService } from '../../src/checkpoint/ask.ts';
import { serveHttp } from '../../src/checkpoint/serving.ts';
import type { ConfigFile } from '../../src/config/schema.ts';
import { once } from '../../src/ground/waiting/once.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';

export type Body = Readonly<Record<string, unknown>> & {
  readonly error?: { readonly code: string; readonly message: string };
};

/** A server with the model `test` at this address, and a way to ask it as anybody. */
export async function openAskServer(
  modelUrl: string | undefined,
  more: { readonly files?: Readonly<Record<string, string>>; readonly config?: ConfigFile } = {},
) {
  const world = await openTestCheckpoint({
    files: more.files ?? {},
    config: {
      toolsets: ['assistant'],
      assistant: { layout: 'workspace' },
      ...(modelUrl !== undefined && { models: { test: { model: 'scripted-1', url: modelUrl } } }),
      ...more.config,
    },
  });
  const faults: unknown[] = [];
  const { checkpoint } = world;
  const onFault = (error: unknown) => void faults.push(error);
  const service = await serveHttp(checkpoint, {
    host: '127.0.0.1',
    port: 0,
    stopGraceMs: 50,
    onFault,
    ask: once(() => openAskService(checkpoint, { retryDelaysMs: [1, 1, 1], onFault })),
  });
  const base = `http://127.0.0.1:${service.address.port}`;
  const { tokens } = await checkpoint.store();
  const tokensOf = new Map<string, string>();

  async function tokenOf(user: string): Promise<string> {
    const token = tokensOf.get(user) ?? (await tokens.create({ user })).token;
    tokensOf.set(user, token);
    return token;
  }

  async function send(
    user: string,
    body: unknown,
    init: { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal } = {},
  ): Promise<Response> {
    return fetch(`${base}/ask`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await tokenOf(user)}`,
        'content-type': 'application/json',
        ...init.headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(init.signal && { signal: init.signal }),
    });
  }

  async function ask(user: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    const response = await send(user, body, { headers });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  }

  /** The events of a stream, once it has ended. */
  async function streamed(user: string, body: unknown) {
    const response = await send(user, body, { headers: { accept: 'text/event-stream' } });
    const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
    return {
      type: response.headers.get('content-type'),
      events: lines.map((line) => JSON.parse(line.slice(6)) as Readonly<Record<string, unknown>>),
    };
  }

  return {
    ...world,
    base,
    faults,
    service,
    tokenOf,
    send,
    ask,
    streamed,
    async [Symbol.asyncDispose]() {
      await service.close();
      await world.close();
    },
  };
}
