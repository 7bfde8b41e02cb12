/** Starts serve.ts as a client would, and calls its tools. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const home = await mkdtemp(join(tmpdir(), 'sekisho-example-'));
const folder = await mkdtemp(join(tmpdir(), 'sekisho-example-'));
const client = new Client({ name: 'own-toolset', version: '1.0.0' });
try {
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(import.meta.dirname, 'serve.ts'), folder],
      // Records go to a home of their own, so that trying this leaves nothing behind.
      env: { ...process.env, HOME: home } as Record<string, string>,
    }),
  );
  const { tools } = await client.listTools();
  console.log('tools:', tools.map((tool) => tool.name).join(', '));

  const read = await client.callTool({ name: 'sensor_read', arguments: { sensor: 'roof' } });
  console.log('sensor_read:', read.structuredContent);

  // Its own error reaches the model in its own words.
  const missing = await client.callTool({ name: 'sensor_read', arguments: { sensor: 'attic' } });
  console.log('sensor_read:', missing.content[0]?.type === 'text' && missing.content[0].text);

  await client.callTool({ name: 'sensor_export', arguments: { path: 'readings.csv' } });
  console.log('readings.csv:', JSON.stringify(await readFile(join(folder, 'readings.csv'), 'utf8')));

  // A tool cannot write outside the folder, whatever it is asked to.
  const outside = await client.callTool({ name: 'sensor_export', arguments: { path: '../readings.csv' } });
  console.log('../readings.csv:', outside.content[0]?.type === 'text' && outside.content[0].text);
} finally {
  await client.close();
  await rm(home, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
}
