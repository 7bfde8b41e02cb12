/** The built server as a client meets it: started over stdio, spoken to in `tools/list` and `tools/call`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const built = join(import.meta.dirname, '..', '..', 'dist', 'sekisho.js');

export interface Serving {
  /** As lines of the configuration file. */
  readonly config?: object;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Files of its root. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** A folder of an earlier server, to go on in. */
  readonly folder?: string;
}

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations: Readonly<Record<string, unknown>>;
}

export interface CallAnswer {
  readonly isError: boolean;
  /** All that a model reads. */
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly error: Readonly<Record<string, unknown>>;
}

export interface Served {
  readonly root: string;
  readonly folder: string;
  tools(): Promise<readonly ListedTool[]>;
  call(name: string, input?: object): Promise<CallAnswer>;
  close(keep?: boolean): Promise<void>;
}

export async function openServed(serving: Serving = {}): Promise<Served> {
  const folder = serving.folder ?? realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-documents-')));
  const root = join(folder, 'root');
  for (const [path, content] of Object.entries(serving.files ?? {})) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  mkdirSync(root, { recursive: true });
  const config = join(folder, 'sekisho.jsonc');
  writeFileSync(config, JSON.stringify(serving.config ?? {}));
  const places = ['--config', config, '--root', root, '--state', join(folder, 'state')];
  const child = spawn(process.execPath, [built, 'serve', ...places, ...(serving.args ?? [])], {
    cwd: root,
    env: {
      HOME: folder,
      PATH: process.env.PATH,
      LANG: 'C.UTF-8',
      SEKISHO_RESIDENT: 'off',
      ...serving.environment,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const request = speak(child);
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'documents', version: '1' },
  });
  child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  return {
    root,
    folder,
    tools: async () => (await request('tools/list', {})).tools as ListedTool[],
    async call(name, input = {}) {
      const result = await request('tools/call', { name, arguments: input });
      const data = Object(result.structuredContent) as Record<string, unknown>;
      const content = (result.content ?? []) as readonly { readonly text?: string }[];
      return {
        isError: result.isError === true,
        text: content.map(({ text }) => text ?? '').join('\n'),
        data,
        error: Object(data.error) as Record<string, unknown>,
      };
    },
    async close(keep = false) {
      child.stdin?.end();
      if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
      if (!keep) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function speak(child: ChildProcess) {
  const waiting = new Map<
    number,
    { resolve(value: Record<string, unknown>): void; reject(error: Error): void }
  >();
  let sent = 0;
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`The server ended with ${code}.`));
    waiting.clear();
  });
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { id, result, error } = JSON.parse(line) as { id?: number; result?: object; error?: object };
      const asked = id === undefined ? undefined : waiting.get(id);
      if (id === undefined || !asked) return;
      waiting.delete(id);
      if (error) asked.reject(new Error(JSON.stringify(error)));
      else asked.resolve({ ...result });
    });
  return (method: string, params: object): Promise<Record<string, unknown>> => {
    sent += 1;
    const id = sent;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  };
}
