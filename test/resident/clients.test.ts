import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Stage } from './stage.ts';

const program = join(import.meta.dirname, '../../dist/sekisho.js');

let stage: Stage;
const clients: Client[] = [];
beforeEach(() => {
  stage = new Stage();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  stage.end();
});

async function connect(mode: 'legacy' | { pin: string }, folder: string): Promise<Client> {
  const client = new Client(
    { name: 'sdk', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { answer: 'once' } }));
  clients.push(client);
  const { PATH = '' } = process.env;
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'serve', '--profile', 'coding'],
      env: { HOME: stage.base, PATH },
      cwd: folder,
    }),
  );
  return client;
}

const writes = (client: Client, path: string) =>
  client.callTool({ name: 'write_file', arguments: { path, content: 'x' } });

describe.each([
  ['2025-11-25', 'legacy' as const],
  ['2026-07-28', { pin: '2026-07-28' }],
])("the SDK's client on %s", (_, mode) => {
  test('goes on with the next server after the death of one', async () => {
    const folder = stage.folder('project');
    const [one, two] = [await connect(mode, folder), await connect(mode, folder)];
    const { tools } = await one.listTools();
    expect(tools.map(({ name }) => name)).toContain('write_file');
    expect((await writes(one, 'a.txt')).isError).toBeUndefined();
    const [{ pid } = { pid: 0 }] = stage.ps();
    process.kill(pid, 'SIGKILL');
    expect((await writes(two, 'b.txt')).isError).toBeUndefined();
    expect((await one.listTools()).tools).toEqual(tools);
    const read = await one.callTool({ name: 'read_file', arguments: { path: 'b.txt' } });
    expect(JSON.stringify(read.content)).toContain('x');
    expect(stage.ps().map(({ sessions }) => sessions.length)).toEqual([2]);
  });
});
