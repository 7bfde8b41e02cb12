/** A server over HTTP with two callers: each has a token, and each token says how far its holder may go. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const run = promisify(execFile);
// In a project of your own: `npx sekisho`.
const sekisho = join(import.meta.dirname, '../../dist/sekisho.js');
const folder = await mkdtemp(join(tmpdir(), 'sekisho-example-'));
const state = await mkdtemp(join(tmpdir(), 'sekisho-example-'));
const where = ['--root', folder, '--state', state, '--locale', 'en'];
await writeFile(join(folder, 'plan.md'), '# Plan\n');

// Port 0 takes a free one; the address is printed to stderr.
const server = spawn(process.execPath, [
  ...[sekisho, 'serve', '--http', '127.0.0.1:0', '--toolsets', 'agent-cli,assistant', ...where],
]);
const exited = once(server, 'exit');
try {
  const url = await addressOf(server.stderr);
  console.log('health:', await (await fetch(new URL('/healthz', url))).text());

  const strangers = await fetch(url, { method: 'POST', body: '{}' });
  console.log('without a token:', strangers.status);

  for (const [user, ...limits] of [['hana'], ['reader', '--for', 'agent-cli']] as const) {
    const { stdout } = await run(process.execPath, [
      ...[sekisho, 'token', 'create', '--user', user, '--expires', '1h', ...limits, '--json', ...where],
    ]);
    const { token } = JSON.parse(stdout) as { token: string };
    const client = new Client({ name: 'http-client', version: '1.0.0' });
    const headers = { Authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    const { tools } = await client.listTools();
    const read = await client.callTool({ name: 'file_read', arguments: { path: 'plan.md' } });
    console.log(`${user} sees ${tools.length} tools and reads`, read.structuredContent);
    await client.close();
  }

  // Who called what is in the log.
  const log = await run(process.execPath, [sekisho, 'audit', 'tail', '--json', ...where]);
  for (const line of log.stdout.trim().split('\n')) {
    const { principal, tool, outcome } = JSON.parse(line) as Record<string, string>;
    console.log('recorded:', principal, tool, outcome);
  }
} finally {
  server.kill();
  await exited;
  await rm(folder, { recursive: true, force: true });
  await rm(state, { recursive: true, force: true });
}

async function addressOf(stderr: AsyncIterable<Buffer>): Promise<URL> {
  let said = '';
  for await (const chunk of stderr) {
    said += chunk.toString();
    const found = /http:\S+\/mcp/.exec(said);
    if (found) return new URL(found[0]);
  }
  throw new Error(`The server ended: ${said}`);
}
