import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { exitOf, modernCall, modernHeaders, post } from '../support/clients.ts';
import { startFile } from '../support/run-command.ts';

/** A folder with a state, in which commands run and servers are started. */
export interface TeamPlace {
  /** Runs a command of ours to its end and returns what it printed. */
  command(...args: readonly string[]): Promise<string>;
  /** The same command as its words, and where it runs, for who starts it otherwise. */
  spawnArguments(...args: readonly string[]): readonly string[];
  readonly options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv };
  serve(): Promise<TeamServer>;
  /** A server over stdio. */
  spawnStdio(): ChildProcess;
}

export interface TeamServer {
  readonly url: string;
  readonly child: ChildProcess;
  /** The structured content of a call, errors included. */
  call(tool: string, input: object, headers?: Record<string, string>): Promise<Record<string, unknown>>;
  kill(): Promise<void>;
}

export const secrets = { PASSKEY: 'correct horse battery', COORDINATOR: 'coordinator-token-for-tests' };

/** Project `p`, manager `m`, workers `a` and `b` below it. */
export const teamFile = {
  projects: [{ id: 'p', name: 'Project' }],
  agents: [
    { id: 'm', name: 'Mika', hierarchy: 'manager', projects: ['p'], passkey: 'env:PASSKEY' },
    ...['a', 'b'].map((id) => ({
      id,
      name: id,
      hierarchy: 'worker',
      parent: 'm',
      projects: ['p'],
      passkey: 'env:PASSKEY',
    })),
  ],
  coordinator_token: 'env:COORDINATOR',
};

export async function createTeamPlace(storeUrl?: string): Promise<TeamPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-team-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  mkdirSync(join(folder, 'root'));
  const config = join(folder, 'sekisho.jsonc');
  writeFileSync(
    config,
    JSON.stringify({ toolsets: ['collaboration'], ...(storeUrl && { store: { url: storeUrl } }) }),
  );
  writeFileSync(join(folder, 'team.jsonc'), JSON.stringify(teamFile));
  const where = ['--root', join(folder, 'root'), '--state', join(folder, 'state'), '--config', config];
  const options = { cwd: folder, env: { ...process.env, ...secrets, LANG: 'C.UTF-8' } };

  function spawnServer(...more: readonly string[]): ChildProcess {
    const child = spawn(process.execPath, [startFile, 'serve', ...where, ...more], {
      ...options,
      stdio: 'pipe',
    });
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await exitOf(child);
    });
    return child;
  }

  const place: TeamPlace = {
    async command(...args) {
      const { stdout } = await promisify(execFile)(process.execPath, [startFile, ...args, ...where], options);
      return stdout.trim();
    },
    spawnArguments: (...args) => [process.execPath, startFile, ...args, ...where],
    options,
    async serve() {
      const child = spawnServer('--http', '127.0.0.1:0');
      return { ...serverAt(await addressOf(child)), child, kill: () => killed(child) };
    },
    spawnStdio: () => spawnServer(),
  };
  await place.command('team', 'apply', join(folder, 'team.jsonc'), '--yes');
  return place;
}

function serverAt(url: string): Pick<TeamServer, 'url' | 'call'> {
  return {
    url,
    async call(tool, input, headers = {}) {
      const { messages } = await post(url, modernCall(tool, input), {
        ...modernHeaders('tools/call', tool),
        ...headers,
      });
      const result = messages.at(-1)?.result as { structuredContent?: Record<string, unknown> } | undefined;
      if (!result?.structuredContent) throw new Error(JSON.stringify(messages));
      return result.structuredContent;
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (chunk) => {
      said += chunk;
      const url = /address\s+(\S+)/.exec(said)?.[1];
      if (url && said.includes('Ctrl-C')) resolve(url);
    });
    child.once('exit', () => reject(new Error(said)));
  });
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await exitOf(child);
}

/** Authenticates at a server and returns what must go along with each call. */
export async function enterAt(
  server: TeamServer,
  agentId: string,
  purpose?: 'task' | 'chat',
): Promise<{ readonly session_token: string; readonly entry: Record<string, unknown> }> {
  const entry = await server.call('authenticate', {
    agent_id: agentId,
    passkey: secrets.PASSKEY,
    project_id: 'p',
    ...(purpose ? { purpose } : {}),
  });
  if (typeof entry.session_token !== 'string') throw new Error(JSON.stringify(entry));
  return { session_token: entry.session_token, entry };
}
