import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { namesIn, openWithServers, wordsOf } from './world.ts';

/** A server of the revisions with sessions, which forgets all of them when it is told to. */
async function forgetful() {
  const sessions = new Set<string>();
  let calls = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (request.method !== 'POST') return response.writeHead(405).end();
      const message = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const session = String(request.headers['mcp-session-id'] ?? '');
      const answer = (result: unknown, headers = {}) =>
        response
          .writeHead(200, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
      if (message.method === 'initialize') {
        const id = randomUUID();
        sessions.add(id);
        const { protocolVersion } = message.params;
        const serverInfo = { name: 'forgetful', version: '1' };
        return answer({ protocolVersion, capabilities: { tools: {} }, serverInfo }, { 'mcp-session-id': id });
      }
      if (!session)
        return response
          .writeHead(400)
          .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No session"}}');
      if (!sessions.has(session)) return response.writeHead(404).end('Session not found');
      if (message.id === undefined) return response.writeHead(202).end();
      if (message.method === 'tools/list') {
        return answer({ tools: [{ name: 'count', inputSchema: { type: 'object' } }] });
      }
      calls += 1;
      return answer({ content: [{ type: 'text', text: String(calls) }] });
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/mcp`,
    forget: () => sessions.clear(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a server that forgot the session is met anew, and the call runs once', async () => {
  await using server = await forgetful();
  await using world = await openWithServers({ far: { url: server.url } });
  expect(await namesIn(world)).toEqual(['far__count']);
  expect(wordsOf(await world.call('far__count', {}))).toBe('1');
  server.forget();
  expect(wordsOf(await world.call('far__count', {}))).toBe('2');
  server.forget();
  const both = await Promise.all([world.call('far__count', {}), world.call('far__count', {})]);
  expect(both.map(wordsOf).sort()).toEqual(['3', '4']);
});

test('a server of the newest revision that wants an argument in a header gets it', async () => {
  const seen: unknown[] = [];
  const handler = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: 'headers', version: '1' });
      const region = z.string().meta({ 'x-mcp-header': 'Region' });
      server.registerTool('where', { inputSchema: z.object({ region }) }, async ({ region }) => ({
        content: [{ type: 'text' as const, text: region }],
      }));
      return server;
    }),
  );
  const server = createServer((request, response) => {
    const said = request.headers['mcp-param-region'];
    if (said !== undefined) seen.push(said);
    // The SDK's type does not know of exact optional properties.
    void handler(request as Parameters<typeof handler>[0], response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/mcp`;
    await using world = await openWithServers({ far: { url } });
    await namesIn(world);
    expect(wordsOf(await world.call('far__where', { region: 'kyoto' }))).toBe('kyoto');
    expect(seen).toEqual(['kyoto']);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
