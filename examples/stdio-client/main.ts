/** A program that starts `sekisho serve` for itself, as every client with a configuration file does. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

// In a project of your own: command 'npx', args ['-y', 'sekisho', 'serve', …].
const sekisho = join(import.meta.dirname, '../../dist/sekisho.js');
const folder = await mkdtemp(join(tmpdir(), 'sekisho-example-'));
const state = await mkdtemp(join(tmpdir(), 'sekisho-example-'));

const client = new Client(
  { name: 'stdio-client', version: '1.0.0' },
  // Says that a person can be asked through this client.
  { capabilities: { elicitation: { form: {} } } },
);
// A real client shows the question to a person. This one prints it, waits for as long as a person would read, and says no: a no
// that comes within a moment counts as a program's, and the call waits on for a person at the console.
client.setRequestHandler('elicitation/create', async ({ params }) => {
  console.log('asked:', params.message.split('\n')[0]);
  await setTimeout(2000);
  return { action: 'decline' };
});

try {
  const args = [
    sekisho,
    'serve',
    '--profile',
    'coding',
    '--root',
    folder,
    '--state',
    state,
    '--locale',
    'en',
  ];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));

  const { tools } = await client.listTools();
  console.log('tools:', tools.map((tool) => tool.name).join(', '));

  const path = 'hello.txt';
  await client.callTool({ name: 'write_file', arguments: { path, content: 'Hello.\n' } });
  console.log('hello.txt:', JSON.stringify(await readFile(join(folder, path), 'utf8')));

  // Every failure is words that a model can act on, and data beside them.
  console.log('outside:', await say('read_file', { path: '/etc/hostname' }));
  console.log('denied:', await say('bash', { command: 'rm -rf /' }));

  // Some calls are put to a person first: direnv would run this file outside the sandbox.
  console.log('answered:', await say('bash', { command: 'echo "export PORT=80" > .envrc' }));
} finally {
  await client.close();
  await rm(folder, { recursive: true, force: true });
  await rm(state, { recursive: true, force: true });
}

async function say(name: string, input: Record<string, unknown>): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const words = content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');
  return `${isError ? 'refused: ' : ''}${words}`;
}
