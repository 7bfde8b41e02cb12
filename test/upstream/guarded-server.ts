import { createServer, type ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { z } from 'zod';
import { listen } from '../support/issuer.ts';

export interface GuardedOptions {
  /** Fields of the resource metadata that are not as they should be; undefined: no such document. */
  readonly metadata?: (url: string) => Record<string, unknown> | undefined;
  /** The address of the metadata in the challenge, where it is not the usual one. */
  readonly metadataUrl?: (origin: string) => string;
  /** Scope that the tool `write` needs. */
  readonly writeScope?: string;
}

/** A real MCP server that lets in only tokens of one issuer for itself. */
export async function openGuardedServer(issuer: string, options: GuardedOptions = {}) {
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
  const seen: JWTPayload[] = [];
  const refused: string[] = [];
  const tokens: string[] = [];
  const allow = { isRevoked: (_token: string) => false };
  const mcp = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: 'guarded', version: '1.0.0' });
      const input = { inputSchema: z.object({ text: z.string() }) };
      server.registerTool('echo', { description: 'Says it again.', ...input }, async ({ text }) => ({
        content: [{ type: 'text' as const, text }],
      }));
      server.registerTool('write', { description: 'Writes it down.', ...input }, async ({ text }) => ({
        content: [{ type: 'text' as const, text: `wrote ${text}` }],
      }));
      return server;
    }),
  );
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
        const found = options.metadata
          ? options.metadata(url)
          : { resource: url, authorization_servers: [issuer] };
        if (found === undefined) return void response.writeHead(404).end();
        return void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(found));
      }
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString('utf8');
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
      if (token === undefined || allow.isRevoked(token)) return challenge(response, 401, '');
      tokens.push(token);
      try {
        const { payload } = await jwtVerify(token, keys, { issuer, audience: url, typ: 'at+jwt' });
        seen.push(payload);
        if (options.writeScope && text.includes('"write"') && text.includes('tools/call')) {
          if (!String(payload.scope).split(' ').includes(options.writeScope)) {
            return challenge(response, 403, ` error="insufficient_scope", scope="${options.writeScope}",`);
          }
        }
      } catch (error) {
        refused.push((error as Error).message);
        return challenge(response, 401, ' error="invalid_token",');
      }
      // The SDK's type does not know of exact optional properties.
      await mcp(request as Parameters<typeof mcp>[0], response, text === '' ? undefined : JSON.parse(text));
    })().catch(() => response.destroy());
  });
  const origin = await listen(server);
  const url = `${origin}/mcp`;
  const metadataUrl = options.metadataUrl?.(origin) ?? `${origin}/.well-known/oauth-protected-resource/mcp`;

  function challenge(response: ServerResponse, status: number, words: string): void {
    response
      .writeHead(status, { 'www-authenticate': `Bearer${words} resource_metadata="${metadataUrl}"` })
      .end();
  }

  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  return { url, origin, seen, refused, tokens, allow, close, [Symbol.asyncDispose]: close };
}
