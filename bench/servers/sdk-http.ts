/** One tool behind the SDK's own stateless handler: what a server built straight on the SDK does for a call. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const root = process.argv[2] ?? '.';

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'sdk', version: '1' });
  server.registerTool(
    'file_read',
    { description: 'Reads a file.', inputSchema: z.object({ path: z.string() }) },
    async ({ path }) => ({ content: [{ type: 'text', text: await readFile(join(root, path), 'utf8') }] }),
  );
  return server;
});

const listener = toNodeHandler(handler);
const http = createServer(
  (request, response) =>
    void listener(Object.assign(request, { method: request.method ?? '', url: request.url ?? '' }), response),
);
http.listen(0, '127.0.0.1', () => {
  const { port } = http.address() as AddressInfo;
  process.stderr.write(`http://127.0.0.1:${port}/mcp\nCtrl-C stops it.\n`);
});
