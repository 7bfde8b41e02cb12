import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, expect, test } from 'vitest';
import { toolsetNames } from '../../src/config/toolset-names.ts';
import { handshakeRevisions } from '../../src/transport/revision.ts';
import { serveStdio } from '../../src/transport/stdio.ts';
import { createLineClient } from '../support/clients.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';

/**
 * The SDK that most clients are built on holds the structured content of errors to the output schema too, and where
 * it does not fit, shows its own complaint instead of what was said.
 */
const world = await openTestCheckpoint({
  files: { 'a.txt': 'hello\n' },
  flags: { toolsets: toolsetNames },
});
const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
  await world.close();
});

async function connect(revision: string): Promise<Client> {
  const input = new PassThrough();
  const output = new PassThrough();
  serveStdio({ gateway: world.checkpoint.gateway, input, output });
  const lines = createLineClient(input, output);
  const transport: Transport = {
    async start() {
      output.on('data', () => {
        for (const message of lines.received.splice(0)) transport.onmessage?.(message as never);
      });
    },
    async send(message) {
      const asks = 'method' in message && message.method === 'initialize';
      // It has no option for an older revision, so its handshake is put into one.
      lines.send(asks ? { ...message, params: { ...message.params, protocolVersion: revision } } : message);
    },
    close: async () => void input.end(),
  };
  const client = new Client({ name: 'older-sdk', version: '1' });
  ends.push(() => client.close());
  await client.connect(transport);
  return client;
}

test.each(handshakeRevisions)("on %s every tool's error arrives in its own words", async (revision) => {
  const client = await connect(revision);
  const { tools } = await client.listTools();

  for (const { name } of tools) {
    const result = (await client.callTool({
      name,
      arguments: { no_such_argument: 1 },
    })) as CallToolResult;
    expect(result.isError, name).toBe(true);
    expect(result.content, name).toEqual([
      {
        type: 'text',
        text: expect.stringMatching(/no_such_argument is not an argument|^Tool '/),
      },
    ]);
  }
  expect(tools.length).toBeGreaterThan(60);
});

test.each(handshakeRevisions)(
  'on %s what was read arrives, as text and where there is a place for it as data',
  async (revision) => {
    const client = await connect(revision);
    await client.listTools();

    const read = await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } });
    const missing = await client.callTool({ name: 'read_file', arguments: { path: 'zebra.md' } });

    expect(read.content).toEqual([{ type: 'text', text: 'hello\n' }]);
    expect(missing.content).toEqual([{ type: 'text', text: 'zebra.md does not exist.' }]);
    const isData = revision >= '2025-06-18';
    expect(read.structuredContent).toEqual(
      isData ? expect.objectContaining({ content: 'hello\n' }) : undefined,
    );
    expect(missing.structuredContent).toEqual(
      isData ? { error: { code: 'not_found', message: 'zebra.md does not exist.' } } : undefined,
    );
  },
);
