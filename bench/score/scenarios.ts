import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, sekisho } from '../world.ts';
import type { Outcome } from './outcome.ts';
import { openServed } from './served.ts';

/** What a fixture of mcp-defense-bench tells in words and a few values, done for real. */
export interface Scenario {
  readonly setup?: string;
  /** Where a server behind ours is. */
  readonly endpoint?: string;
  /** What a page in a browser sends to ours. */
  readonly request?: { readonly host: string; readonly origin: string };
  /** What a server behind ours does with the name of a file. */
  readonly action?: { readonly name: string; readonly arguments: { readonly input: string } };
}

type Found = Pick<Outcome, 'verdict' | 'reason'>;

/** Undefined where it tells of nothing that can be done. */
export async function runScenario({
  setup = '',
  endpoint,
  request,
  action,
}: Scenario): Promise<Found | undefined> {
  const address = endpoint ?? /https?:\/\/[\w.-]+\.example\S*/.exec(setup)?.[0].replace(/\.$/, '');
  if (request) return asked(request, setup.includes('allowlist'));
  if (action) return reads(action.name, action.arguments.input);
  return address === undefined ? undefined : connects(address);
}

/** Does ours connect to a server at this address? */
function connects(url: string): Found {
  const { folder, remove } = makeFolder();
  try {
    const config = join(folder, 'sekisho.jsonc');
    const root = join(folder, 'root');
    mkdirSync(root);
    writeFileSync(config, JSON.stringify({ mcpServers: { s: { url } } }));
    const args = [sekisho, 'server', 'check', 's', '--root', root, '--config', config];
    const { stdout } = spawnSync(process.execPath, args, { env: environment(folder), encoding: 'utf8' });
    // No such server exists: one that may be connected to is looked for and not found.
    return stdout.includes('plain http')
      ? { verdict: 'stopped', reason: stdout.trim().slice(0, 200) }
      : { verdict: 'passed', reason: 'looked for' };
  } finally {
    remove();
  }
}

/** A page of this origin calls ours; the operator has listed it or not. */
async function asked({ host, origin }: NonNullable<Scenario['request']>, isListed: boolean): Promise<Found> {
  const { folder, remove } = makeFolder();
  const root = join(folder, 'root');
  mkdirSync(root);
  const config = join(folder, 'sekisho.jsonc');
  writeFileSync(config, JSON.stringify({ http: { allowedOrigins: isListed ? [origin] : [] } }));
  const args = [sekisho, 'serve', '--http', '127.0.0.1:0', '--root', root, '--config', config];
  const child = spawn(process.execPath, args, {
    env: environment(folder),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const { port, token } = await greeting(child);
    const response = await fetch(`http://${host.replace(/:\d+$/, `:${port}`)}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        origin,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'page', version: '1' },
        },
      }),
    });
    const words = await response.text();
    return response.ok
      ? { verdict: 'passed', reason: 'answered' }
      : { verdict: 'stopped', reason: `${response.status}: ${words.slice(0, 160)}` };
  } finally {
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
    remove();
  }
}

async function greeting(child: ChildProcess): Promise<{ readonly port: string; readonly token: string }> {
  let said = '';
  for await (const chunk of child.stderr ?? []) {
    said += chunk;
    const port = /127\.0\.0\.1:(\d+)\/mcp/.exec(said)?.[1];
    const token = /Bearer ([\w.-]+)/.exec(said)?.[1];
    if (port !== undefined && token !== undefined) return { port, token };
  }
  throw new Error(`the server ended: ${said}`);
}

/** A server in its sandbox opens the file, which lies in its folder or on the machine. */
async function reads(name: string, input: string): Promise<Found> {
  const tool = { name, inputSchema: { type: 'object' as const }, opens: 'input' };
  await using served = await openServed({ s: { tools: [tool], settings: { sandbox: 'required' } } });
  const inRoot = join(served.root, input);
  if (!existsSync(inRoot) && inRoot.startsWith(`${served.root}/`)) {
    mkdirSync(dirname(inRoot), { recursive: true });
    writeFileSync(inRoot, 'a document');
  }
  await served.offered();
  const { what, words } = await served.call(`s__${name}`, { input });
  const opened = what === 'ran' && words.includes('opened: ');
  return { verdict: opened ? 'passed' : 'stopped', reason: words.replace(/\s+/g, ' ').slice(0, 200) };
}

function environment(folder: string): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return { PATH, HOME: folder, XDG_STATE_HOME: join(folder, 'state'), LC_ALL: 'C.UTF-8' };
}
