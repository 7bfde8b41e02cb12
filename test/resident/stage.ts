import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SharedServer } from '../../src/contract/shared-server.ts';
import { createLineClient, type LineClient } from '../support/clients.ts';

const program = join(import.meta.dirname, '../../dist/sekisho.js');

export interface Joined extends LineClient {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
  log(): string;
  shell(command: string): Promise<string>;
}

/** A home of its own, with folders and a resident server, which `end` stops. */
export class Stage {
  readonly base = realpathSync(mkdtempSync('/var/tmp/sekisho-resident-'));
  readonly environment: NodeJS.ProcessEnv = {
    // `npm test` sets variables of npm, with the paths of another home.
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))),
    HOME: this.base,
    XDG_STATE_HOME: undefined,
    SEKISHO_RESIDENT: undefined,
  };
  readonly #children: ChildProcess[] = [];

  folder(name: string): string {
    const path = join(this.base, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** Starts `sekisho serve` as a client does; the handshake is done. */
  async join(
    cwd: string,
    {
      args = [],
      environment = {},
      wrap = [],
      capabilities = {},
      program: given,
    }: {
      readonly args?: readonly string[];
      readonly environment?: NodeJS.ProcessEnv;
      readonly wrap?: readonly string[];
      readonly capabilities?: object;
      /** The whole command, in place of ours. */
      readonly program?: readonly string[];
    } = {},
  ): Promise<Joined> {
    const own = [process.execPath, program, 'serve', '--profile', 'coding', ...args];
    const [command = '', ...rest] = [...wrap, ...(given ?? own)];
    const child = spawn(command, rest, {
      cwd,
      env: { ...this.environment, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#children.push(child);
    let log = '';
    child.stderr.on('data', (chunk) => {
      log += chunk;
    });
    child.stdin.on('error', () => {});
    const client = createLineClient(child.stdin, child.stdout);
    const exited = once(child, 'exit');
    await client.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities,
      clientInfo: { name: 'raw', version: '1' },
    });
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return {
      ...client,
      child,
      exited,
      log: () => log,
      shell: async (command) => textOf(await client.call('bash', { command })),
    };
  }

  /** The resident servers of this home. */
  ps(): readonly SharedServer[] {
    return JSON.parse(this.sekisho('ps', '--json')) as SharedServer[];
  }

  sekisho(...args: readonly string[]): string {
    const out = execFileSync(process.execPath, [program, ...args], {
      env: this.environment,
      encoding: 'utf8',
    });
    return out;
  }

  /** All processes of this home that live, by their variables. */
  processes(): readonly number[] {
    return readdirSync('/proc').flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      try {
        const words = readFileSync(`/proc/${name}/environ`, 'utf8');
        return words.includes(`HOME=${this.base}\0`) ? [Number(name)] : [];
      } catch {
        return [];
      }
    });
  }

  /** Whether a process was started with these words. */
  runs(...words: readonly string[]): boolean {
    return readdirSync('/proc').some((name) => {
      try {
        return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(words.join('\0'));
      } catch {
        return false;
      }
    });
  }

  end(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    this.sekisho('stop', '--all');
    rmSync(this.base, { recursive: true, force: true });
  }
}

export function textOf(reply: object): string {
  const { result } = reply as { result?: { content?: { text?: string }[] } };
  return result?.content?.map(({ text }) => text ?? '').join('\n') ?? '';
}
