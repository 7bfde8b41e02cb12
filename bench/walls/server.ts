import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { asUser, type Box } from './box.ts';

const built = join(import.meta.dirname, '..', '..', 'dist', 'sekisho.js');
/** A busy machine has taken half a minute; a server that takes this long is gone. */
const patienceMs = 120_000;

/** What a command came to: its reply, or a question that holds it back. */
export interface Came {
  readonly isAsked: boolean;
  readonly isRefused: boolean;
  readonly text: string;
}

/** The built server over HTTP, as the unprivileged user of the box. Each session starts anew. */
export class WalledServer {
  readonly #child: ChildProcess;
  readonly #url: URL;
  readonly #token: string;
  readonly #places: readonly string[];
  readonly #box: Box;

  private constructor(box: Box, child: ChildProcess, said: string, places: readonly string[]) {
    this.#box = box;
    this.#child = child;
    this.#places = places;
    this.#url = new URL(/http:\/\/\S+\/mcp/.exec(said)?.[0] ?? '');
    this.#token = /token +(\S+)/.exec(said)?.[1] ?? '';
  }

  static async start(box: Box): Promise<WalledServer> {
    const places = ['--config', box.config, '--root', box.root, '--state', box.state];
    const [program, args] = asUser(process.execPath, [
      ...[built, 'serve', '--http', '127.0.0.1:0', '--no-console', '--profile', 'coding'],
      ...places,
    ]);
    const child = spawn(program, args, {
      cwd: box.root,
      env: box.environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`The server ended with ${code}: ${said}`)));
      child.stderr?.on('data', (chunk) => {
        said += chunk;
        if (/\/mcp[\s\S]*token +\S+\n/.test(said)) resolve();
      });
    });
    return new WalledServer(box, child, said, places);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async open(): Promise<Session> {
    const client = new Client({ name: 'walls', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${this.#token}` } };
    const transport = new StreamableHTTPClientTransport(this.#url, { requestInit });
    await client.connect(transport, { timeout: patienceMs });
    return new Session(client, transport);
  }

  /** Ends it, and returns what is wrong with how it ends and with the records that it leaves. */
  async close(): Promise<readonly string[]> {
    const found: string[] = [];
    if (this.isRunning) {
      const gone = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      const latest = setTimeout(() => {
        found.push(`it does not end within ${patienceMs / 1000} s`);
        this.#child.kill('SIGKILL');
      }, patienceMs);
      await gone;
      clearTimeout(latest);
    }
    const [program, args] = asUser(process.execPath, [built, 'audit', 'verify', ...this.#places]);
    const verified = spawnSync(program, args, {
      env: this.#box.environment,
      cwd: this.#box.root,
      encoding: 'utf8',
    });
    if (verified.status !== 0) found.push(`its records: ${verified.stdout}${verified.stderr}`);
    return found;
  }
}

export class Session {
  readonly #client: Client;
  readonly #transport: StreamableHTTPClientTransport;

  constructor(client: Client, transport: StreamableHTTPClientTransport) {
    this.#client = client;
    this.#transport = transport;
  }

  async call(
    name: string,
    input: Record<string, unknown>,
  ): Promise<Came & { readonly data: Record<string, unknown> }> {
    const reply = await this.#client.callTool({ name, arguments: input }, { timeout: patienceMs });
    const data = Object(reply.structuredContent) as Record<string, unknown>;
    const { code } = Object(data.error) as { readonly code?: string };
    return {
      data,
      isAsked: code === 'approval_pending',
      isRefused: code === 'denied',
      text: JSON.stringify(reply.structuredContent ?? reply.content).slice(0, 300),
    };
  }

  /** Ends the session with what still runs in it. */
  async close(): Promise<void> {
    await this.#transport.terminateSession().catch(() => undefined);
    await this.#client.close();
  }
}
