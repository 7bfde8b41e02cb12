import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processorMs, residentMiB } from '../world.ts';

/** A server process of the fleet. */
export interface FleetNode {
  readonly url: string;
  /** Processor time so far, in ms, and what it holds of memory now. */
  usage(): { readonly cpuMs: number; readonly residentMiB: number };
  /** Freezes it, as a machine does that swaps or migrates, until `go`. */
  pause(): void;
  go(): void;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface NodeOptions {
  /** Where the built server or its source is started from. */
  readonly program: string;
  /** The fleet's folder; each node has one of its own in it. */
  readonly folder: string;
  readonly name: string;
  readonly storeUrl: string;
  /** The one folder that holds the files of all nodes. */
  readonly root: string;
  /** Loaded before the server, e.g. to set its clock wrong. */
  readonly preload?: string | undefined;
}

/** Starts a server that shares the store and its keys with the others, and nothing else. */
export async function startNode(options: NodeOptions): Promise<FleetNode> {
  const { folder, name, storeUrl, root, preload } = options;
  const home = join(folder, name);
  const state = join(home, 'state');
  mkdirSync(state, { recursive: true });
  const key = join(folder, 'audit.key');
  if (existsSync(key)) copyFileSync(key, join(state, 'audit.key'));
  const config = join(home, 'sekisho.jsonc');
  writeFileSync(
    config,
    JSON.stringify({
      toolsets: ['agent-cli', 'collaboration'],
      rateLimits: [],
      store: { url: storeUrl },
      http: { roots: 'shared' },
    }),
  );
  const args = ['serve', '--root', root, '--state', state, '--config', config, '--http', '127.0.0.1:0'];
  const before = preload === undefined ? [] : ['--import', preload];
  const child = spawn(process.execPath, [...before, options.program, ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, LANG: 'C.UTF-8' },
  });
  const ended = once(child, 'exit');
  const url = await addressOf(child);
  return {
    url,
    usage: () => ({ cpuMs: processorMs(child.pid ?? -1), residentMiB: residentMiB(child.pid ?? -1) }),
    pause: () => void child.kill('SIGSTOP'),
    go: () => void child.kill('SIGCONT'),
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await ended;
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      if (said.length < 10_000) said += String(chunk);
      const url = /http:\/\/\S+\/mcp/.exec(said)?.[0];
      if (url && said.includes('Ctrl-C')) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`a node ended with ${code}: ${said.slice(-1000)}`)));
  });
}
