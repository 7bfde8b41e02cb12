import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ClientDriver, World } from './clients.ts';

const run = promisify(execFile);
const start = join(import.meta.dirname, '../../dist/sekisho.js');
/** Without its types it starts in a third of the time: one client waits for no more than 2.5 s in all. */
const tapCode = stripTypeScriptTypes(readFileSync(join(import.meta.dirname, 'tap.ts'), 'utf8'));

/** One client with a home, a workspace and a server of its own. */
export interface Stage extends World {
  /** Starts the client without a person; resolves with what it printed. */
  start(driver: ClientDriver, bin: string): Running;
  /** A command of the person, elsewhere. */
  sekisho(...args: string[]): Promise<string>;
  /** What went over the wire, line by line. */
  wire(): readonly { readonly from: 'client' | 'server'; readonly line: string }[];
  close(): void;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<string>;
}

export function openStage(modelUrl: string): Stage {
  const top = mkdtempSync(join(process.env.SEKISHO_CLIENTS_TMP ?? tmpdir(), 'sekisho-client-'));
  const [home, work, state] = ['home', 'work', 'state'].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [home, work]) mkdirSync(folder);
  const log = join(top, 'wire.jsonl');
  const tap = join(top, 'tap.mjs');
  writeFileSync(tap, tapCode);
  const config = join(top, 'sekisho.jsonc');
  const rules = [{ id: 'live', path: 'live/**', decision: 'ask', because: 'Customers see it.' }];
  writeFileSync(config, JSON.stringify({ rules, approval: { waitMs: 40_000 }, state }));
  const flags = ['--profile', 'coding', '--root', work, '--config', config];
  const server = [tap, log, process.execPath, start, 'serve', ...flags];
  const world = { home, work, modelUrl, server: { command: process.execPath, args: server } };

  return {
    ...world,
    start(driver, bin) {
      driver.prepare(world);
      // A group of its own, so that it can be interrupted as a terminal does it.
      const child = spawn(bin, driver.args('Please go on.', world), {
        cwd: work,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env.PATH, HOME: home, TERM: 'dumb', ...driver.env(world) },
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
      const ended = new Promise<string>((resolve) => child.once('close', () => resolve(said)));
      return { child, ended };
    },
    async sekisho(...args) {
      const all = [start, ...args, '--config', config, '--root', work];
      // An empty list has an exit code of its own.
      return run(process.execPath, all).then(
        ({ stdout }) => stdout,
        ({ stdout }) => stdout,
      );
    },
    wire() {
      if (!existsSync(log)) return [];
      return readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    },
    close() {
      // One client leaves a daemon behind; it works in this folder alone.
      for (const line of execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n')) {
        const [, pid] = line.includes(top) ? (/^ *(\d+) /.exec(line) ?? []) : [];
        if (pid !== undefined && Number(pid) !== process.pid) endOne(Number(pid));
      }
      rmSync(top, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function endOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It went in this moment.
  }
}

/** Ends a client with all that it started, however it takes it. */
export async function endGroup({ child, ended }: Running): Promise<void> {
  const isOver = await Promise.race([ended.then(() => true), setTimeout(15_000, false)]);
  if (!isOver && child.pid !== undefined) endOne(-child.pid);
  await Promise.race([ended, setTimeout(5000)]);
}

export async function until<T>(
  look: () => T | undefined | Promise<T | undefined>,
  forMs: number,
): Promise<T | undefined> {
  const end = Date.now() + forMs;
  while (Date.now() < end) {
    const found = await look();
    if (found !== undefined) return found;
    await setTimeout(150);
  }
  return undefined;
}
