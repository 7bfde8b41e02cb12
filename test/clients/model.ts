import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropic } from './dialects/anthropic.ts';
import type { Dialect, Say, Turn } from './dialects/dialect.ts';
import { gemini } from './dialects/gemini.ts';
import { openaiChat } from './dialects/openai-chat.ts';
import { openaiResponses } from './dialects/openai-responses.ts';

/** Decides what is said next: by the tools that are offered and the results that have come back. */
export type Script = (turn: Turn) => Say | Promise<Say>;

/** A model on loopback that follows a script, in every API that the clients speak. */
export interface ScriptedModel {
  readonly url: string;
  /** What the model was handed, request by request. */
  readonly turns: Turn[];
  /** Requests to addresses that no dialect knows: what a client wants beside a model. */
  readonly strange: string[];
  follow(script: Script): void;
  close(): Promise<void>;
}

const dialects: readonly Dialect[] = [anthropic, openaiChat, openaiResponses, gemini];

export async function startModel(): Promise<ScriptedModel> {
  const turns: Turn[] = [];
  const strange: string[] = [];
  let script: Script = () => ({ text: 'done' });

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = new URL(request.url ?? '/', 'http://model').pathname;
    const dialect = dialects.find((each) => each.speaks(path));
    if (!dialect) {
      strange.push(`${request.method} ${request.url}`);
      const isList = /\/models$/.test(path);
      response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' });
      response.end(
        isList ? JSON.stringify({ object: 'list', data: [{ id: 'scripted', object: 'model' }] }) : '{}',
      );
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const turn = dialect.read(body);
    // Requests for a title or a summary bring no tools; they are answered, and are no turn of the script.
    if (turn.tools.length > 0) turns.push(turn);
    const say = turn.tools.length > 0 ? await script(turn) : { text: 'ok' };
    const written = dialect.write(say, body, path);
    response.writeHead(200, { 'content-type': written.type });
    response.end(written.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    turns,
    strange,
    follow(next) {
      script = next;
      turns.length = 0;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
