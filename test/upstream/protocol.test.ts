import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test, vi } from 'vitest';
import { startFile } from '../support/run-command.ts';
import { habitual, temporaryFile } from './world.ts';

const everything = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);

test('a real client reaches tools, prompts, resources and questions of a server behind ours', async () => {
  const file = temporaryFile('tools.json');
  const echo = { name: 'echo', inputSchema: { type: 'object' } };
  writeFileSync(file, JSON.stringify([echo]));
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-proxy-'));
  const root = join(folder, 'root');
  mkdirSync(root);
  const config = join(folder, 'sekisho.jsonc');
  const mcpServers = {
    everything: { command: process.execPath, args: [everything], sandbox: 'off' },
    fix: habitual('none', file),
  };
  writeFileSync(config, JSON.stringify({ mode: 'full-access', mcpServers }));

  const told = vi.fn();
  const asked: string[] = [];
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: { elicitation: { form: {} } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: told } },
    },
  );
  client.setRequestHandler('elicitation/create', (request) => {
    asked.push(request.params.message);
    return { action: 'accept', content: { name: 'Hana' } };
  });
  const args = [startFile, 'serve', '--root', root, '--config', config, '--state', join(folder, 'state')];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  try {
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    expect(names).toEqual(expect.arrayContaining(['file_read', 'everything__echo', 'fix__echo']));

    const summed = await client.callTool({ name: 'everything__get-sum', arguments: { a: 2, b: 3 } });
    expect(JSON.stringify(summed.content)).toContain('The sum of 2 and 3 is 5');
    // The client holds what it gets against the schema that it was shown.
    const weather = { name: 'everything__get-structured-content', arguments: { location: 'New York' } };
    expect((await client.callTool(weather)).structuredContent).toMatchObject({
      temperature: expect.any(Number),
    });
    expect(await client.callTool({ name: 'fix__echo', arguments: { text: 'failed' } })).toMatchObject({
      isError: true,
    });

    expect((await client.listPrompts()).prompts.map((prompt) => prompt.name)).toContain(
      'everything__args-prompt',
    );
    const prompt = await client.getPrompt({ name: 'everything__args-prompt', arguments: { city: 'Kyoto' } });
    expect(JSON.stringify(prompt)).toContain('Kyoto');

    const { resources } = await client.listResources();
    const uri = resources.find((resource) => resource.uri.startsWith('upstream://everything/'))?.uri ?? '';
    expect((await client.readResource({ uri })).contents[0]).toMatchObject({ uri });

    await client.callTool({ name: 'fix__echo', arguments: { text: 'ask' } });
    expect(asked).toEqual(['[fix] Who\\u202e are you?']);

    writeFileSync(file, JSON.stringify([{ ...echo, description: 'changed' }]));
    await client.callTool({ name: 'fix__echo', arguments: { text: 'announce' } });
    await vi.waitFor(() => expect(told).toHaveBeenCalled(), { timeout: 60_000 });
    await vi.waitFor(
      async () =>
        expect((await client.listTools()).tools.map((tool) => tool.name)).not.toContain('fix__echo'),
      { timeout: 60_000 },
    );
  } finally {
    await client.close();
  }
});
