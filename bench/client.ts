import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** A raw JSON-RPC client over stdio, so that the client is not what is measured. */
export interface RawClient {
  request(method: string, params: unknown): Promise<Record<string, unknown>>;
  notify(method: string, params: unknown): void;
  call(name: string, input: unknown): Promise<Record<string, unknown>>;
  readonly pid: number;
  /** Sends a call that is not waited for, and returns its id. */
  begin(name: string, input: unknown): number;
  /** Goes away like a client that was killed: both pipes end at once. */
  vanish(): void;
  close(): Promise<void>;
}

/** Starts a server and does the handshake of 2025-06-18, which every peer speaks. */
export async function startServer(
  command: readonly [string, ...string[]],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<RawClient> {
  const [program, ...args] = command;
  const child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
  const client = clientOf(child);
  await client.request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'sekisho-bench', version: '1' },
  });
  client.notify('notifications/initialized', {});
  return client;
}

function clientOf(child: ChildProcessByStdio<Writable, Readable, null>): RawClient {
  const waiting = new Map<number, (message: Record<string, unknown>) => void>();
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // A server that dies fails its row instead of leaving it waiting.
  void ended.then(() => {
    for (const answer of waiting.values()) answer({ error: 'the server ended' });
  });
  const chunks: Buffer[] = [];
  let nextId = 1;
  // What is sent to a server that has gone is answered by its end.
  child.stdin.on('error', () => {});
  child.stdout.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      chunks.push(chunk.subarray(start, end));
      receive(chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString());
      chunks.length = 0;
      start = end + 1;
    }
    if (start < chunk.length) chunks.push(chunk.subarray(start));
  });

  function receive(line: string): void {
    if (line.trim() === '') return;
    const message = JSON.parse(line) as Record<string, unknown>;
    const id = message.id as number;
    const resolve = waiting.get(id);
    if (!resolve || message.method !== undefined) return;
    waiting.delete(id);
    resolve(message);
  }

  async function request(method: string, params: unknown): Promise<Record<string, unknown>> {
    const id = nextId++;
    const answered = new Promise<Record<string, unknown>>((resolve) => waiting.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const message = await answered;
    if (message.error) throw new Error(`${method}: ${JSON.stringify(message.error).slice(0, 300)}`);
    return message.result as Record<string, unknown>;
  }

  return {
    pid: child.pid ?? -1,
    request,
    notify: (method, params) => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`);
    },
    begin(name, input) {
      const id = nextId++;
      const params = { name, arguments: input };
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
      return id;
    },
    vanish() {
      child.stdin.destroy();
      child.stdout.destroy();
    },
    async call(name, input) {
      const result = await request('tools/call', { name, arguments: input });
      // A fast wrong answer is a failure; rows look at the rest.
      if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content).slice(0, 300)}`);
      return result;
    },
    async close() {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
      await ended;
      clearTimeout(timer);
    },
  };
}
