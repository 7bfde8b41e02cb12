/** Another MCP server behind the checkpoint: its tools are served as `tides__…`, and ask before they change things. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

// In a project of your own: command 'npx', args ['-y', 'sekisho', 'serve', …].
const sekisho = join(import.meta.dirname, '../../dist/sekisho.js');
const folder = await mkdtemp(join(tmpdir(), 'sekisho-example-'));
const home = await mkdtemp(join(tmpdir(), 'sekisho-example-'));
const config = join(home, 'sekisho.jsonc');

await writeFile(
  config,
  JSON.stringify({
    toolsets: [],
    // `sekisho import claude` takes over what a client has here already.
    mcpServers: {
      tides: {
        command: process.execPath,
        args: [join(import.meta.dirname, 'tides.ts')],
        // Behind walls it sees the served folders, its own file, and what is named here.
        folders: [{ path: join(import.meta.dirname, '../..'), writable: false }],
        // Believe what it says of its own tools: `high_water` only reads, so it need not ask.
        trustAnnotations: true,
        // Each call that may change something asks, whatever was read before.
        ask: 'changes',
      },
    },
  }),
);

const client = new Client(
  { name: 'proxied-server', version: '1.0.0' },
  { capabilities: { elicitation: { form: {} } } },
);
// A real client shows the question. This one agrees, once.
client.setRequestHandler('elicitation/create', async ({ params }) => {
  console.log('asked:', params.message.split('\n')[0]);
  return { action: 'accept', content: { scope: 'once' } };
});

try {
  const args = [sekisho, 'serve', '--config', config, '--root', folder, '--state', join(home, 'state')];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));

  const { tools } = await client.listTools();
  console.log('tools:', tools.map((tool) => tool.name).join(', '));
  console.log('high water:', await say('tides__high_water', { harbour: 'Uraga' }));
  console.log('answered:', await say('tides__close_harbour', { harbour: 'Uraga' }));
} finally {
  await client.close();
  await rm(folder, { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
}

async function say(name: string, input: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: input });
  return content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');
}
