import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { CallAnswer, Served, Serving } from '../served.ts';

/** The trial of a point: true, or the answer that came instead. */
export type Probe = (served: Served) => Promise<unknown>;

export interface Bench {
  readonly document: string;
  readonly serving: Serving;
  readonly probes: Readonly<Record<string, Probe>>;
}

export const fails = ({ isError, error, text }: CallAnswer, code: string): unknown =>
  (isError && error.code === code) || text.slice(0, 200);
export const refuses = ({ isError, text }: CallAnswer, words: string): unknown =>
  (isError && text.includes(words)) || text.slice(0, 200);
export const gives = ({ isError, text }: CallAnswer, words: string): unknown =>
  (!isError && text.includes(words)) || text.slice(0, 200);

const built = join(import.meta.dirname, '..', '..', '..', 'dist', 'sekisho.js');

/** Where a served folder keeps its things, as options of the command line. */
const placesOf = (folder: string) => [
  ...['--config', join(folder, 'sekisho.jsonc'), '--root', join(folder, 'root')],
  ...['--state', join(folder, 'state')],
];

/** The `sekisho` command in a served folder, while nothing of this process has to answer it. */
export function command(folder: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  return spawnSync(process.execPath, [built, ...args, ...placesOf(folder)], {
    cwd: join(folder, 'root'),
    encoding: 'utf8',
    env: { HOME: folder, PATH: process.env.PATH, LANG: 'C.UTF-8', SEKISHO_RESIDENT: 'off', ...environment },
    timeout: 60_000,
  });
}

/** The same without blocking, for what a server of this process answers. */
export function commandBeside(folder: string, args: readonly string[]) {
  return new Promise<{ readonly stdout: string; readonly stderr: string }>((resolve) => {
    const child = spawn(process.execPath, [built, ...args, ...placesOf(folder)], {
      cwd: join(folder, 'root'),
      env: { HOME: folder, PATH: process.env.PATH, LANG: 'C.UTF-8', SEKISHO_RESIDENT: 'off' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => {
      said.stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      said.stderr += chunk;
    });
    child.once('close', () => resolve(said));
  });
}

/** A loopback server that answers each body with what `answer` gives. */
export async function openLoopback(answer: (body: string) => readonly [type: string, body: string]) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const [type, reply] = answer(body);
    response.writeHead(200, { 'content-type': type }).end(reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => void server.close() };
}

/** `serve --http` in a served folder, with a person for each name. */
export async function openHttp(folder: string, names: readonly string[], args: readonly string[]) {
  const child = spawn(
    process.execPath,
    [built, 'serve', '--http', '127.0.0.1:0', ...args, ...placesOf(folder)],
    {
      cwd: join(folder, 'root'),
      env: { HOME: folder, PATH: process.env.PATH, LANG: 'C.UTF-8', SEKISHO_RESIDENT: 'off' },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
      const found = /http:\/\/[^\s"]+\/mcp/.exec(said);
      if (found) resolve(found[0]);
    });
    child.once('exit', () => reject(new Error(said)));
  });
  const tokens = new Map(
    names.map((name) => [
      name,
      /skt_\S+/.exec(command(folder, ['token', 'create', '--user', name]).stdout)?.[0],
    ]),
  );
  return {
    async call(person: string, name: string, input: object): Promise<CallAnswer> {
      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'documents', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${tokens.get(person)}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': name,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: input, _meta: meta },
        }),
      });
      const body = await response.text();
      const line = body.split('\n').findLast((each) => each.startsWith('data:'));
      const { result = {} } = JSON.parse(line ? line.slice(5) : body);
      const data = Object(result.structuredContent);
      const content = (result.content ?? []) as readonly { readonly text?: string }[];
      return {
        isError: result.isError === true || !result.content,
        text: content.map(({ text }) => text ?? '').join('\n') || body,
        data,
        error: Object(data.error),
      };
    },
    async close() {
      child.kill();
      if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}
