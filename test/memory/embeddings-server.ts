import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { conceptVector } from './concept-model.ts';

/** What one request asked for. */
export interface Asked {
  readonly model: string;
  readonly input: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
}

/** Answers one request in its own way, or passes with `undefined`. */
export type Script = (asked: Asked, response: ServerResponse) => unknown;

/** An OpenAI-compatible endpoint for embeddings on this machine, gone when the test ends. */
export interface EmbeddingsServer {
  readonly url: string;
  readonly asked: Asked[];
  /** How many texts were embedded, whoever asked. */
  readonly texts: string[];
  script: Script | undefined;
  dimensions: number;
}

export async function startEmbeddings(script?: Script, register = onTestFinished): Promise<EmbeddingsServer> {
  const asked: Asked[] = [];
  const texts: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}');
    const one = { model: body.model, input: body.input ?? [], headers: request.headers, body };
    asked.push(one);
    if (request.url !== '/v1/embeddings') return void response.writeHead(404).end();
    if ((await running.script?.(one, response)) !== undefined) return;
    texts.push(...one.input);
    answer(response, one.input, running.dimensions);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  register(() => {
    server.closeAllConnections();
    server.close();
  });
  const running: EmbeddingsServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    texts,
    script,
    dimensions: 256,
  };
  return running;
}

/** A proper answer; `change` may spoil it. */
export function answer(
  response: ServerResponse,
  input: readonly string[],
  dimensions = 256,
  change: (data: unknown) => unknown = (data) => data,
): true {
  const data = input.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: conceptVector(text, dimensions),
  }));
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(change({ object: 'list', model: 'fake', data })));
  return true;
}
