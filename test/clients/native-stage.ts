import { execFile, execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clients } from './clients.ts';
import type { NativeClient } from './native-clients.ts';
import { type Running, until } from './world.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, '../../dist/sekisho.js');

/** What the operator wants to be asked about. */
export const deployment = 'touch live';

/** What the person writes. */
export const prompt = 'Please go on.';

/** A home with our hooks in the client's settings, a project, and a file outside of it. */
export interface NativeStage {
  readonly work: string;
  readonly canary: string;
  readonly secret: string;
  has(file: string): boolean;
  /** What we have heard of what the person wrote. */
  prompts(): string;
  start(bin: string): Running;
  sekisho(...args: string[]): Promise<string>;
  /** The person says yes to the next question. */
  approveNext(): Promise<void>;
  close(): void;
}

export async function openNativeStage(native: NativeClient, modelUrl: string): Promise<NativeStage> {
  // Codex puts no helpers of its own below /tmp, and its sandbox does not start without them.
  const top = mkdtempSync(join(process.env.SEKISHO_CLIENTS_TMP ?? '/var/tmp', 'sekisho-native-'));
  const path = (name: string) => join(top, name);
  const [home, work, canary, config] = [path('home'), path('work'), path('canary'), path('sekisho.jsonc')];
  const secret = `a secret of ${process.pid}\n`;
  for (const folder of [home, work]) mkdirSync(folder);
  writeFileSync(join(work, 'small.txt'), 'one small text\n');
  writeFileSync(canary, secret);
  const [asking, denying] = [deployment, 'touch never'].map((words) => words.split(' '));
  const rules = [
    { id: 'live', command: asking, decision: 'ask', because: 'Customers see it.' },
    { id: 'never', command: denying, decision: 'deny', because: 'Nobody does that.' },
  ];
  const approval = { waitMs: 40_000 };
  writeFileSync(
    config,
    JSON.stringify({ profile: 'coding', roots: [work], state: path('state'), rules, approval }),
  );
  const driver = clients.find(({ bin }) => bin === native.bin);
  if (!driver) throw new Error(`no driver for ${native.bin}`);
  const world = { home, work, modelUrl, server: { command: 'true', args: [] } };
  driver.prepare(world);
  const env = { PATH: process.env.PATH, HOME: home, TERM: 'dumb', ...driver.env(world) };
  const sekisho = (...args: string[]) =>
    // An empty list has an exit code of its own.
    run(process.execPath, [program, ...args], { env, cwd: work }).then(
      ({ stdout }) => stdout,
      ({ stdout }) => stdout,
    );
  await sekisho('init', '--client', native.bin, '--hooks', '--yes', '--out', config);
  const ofDriver = driver.args(prompt, world);
  const args = native.args?.(ofDriver) ?? ofDriver;
  const withConfig = (...args: string[]) => sekisho(...args, '--config', config);

  return {
    work,
    canary,
    secret,
    has: (file) => existsSync(join(work, file)),
    prompts: () => {
      const folder = path('state/prompts');
      if (!existsSync(folder)) return '';
      return readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), 'utf8'))
        .join('\n')
        .trim();
    },
    start(bin) {
      const child = spawn(bin, args, {
        cwd: work,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env,
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
      return { child, ended: new Promise((resolve) => child.once('close', () => resolve(said))) };
    },
    sekisho: withConfig,
    async approveNext() {
      const id = await until(async () => {
        const waiting = JSON.parse(await withConfig('approve', '--json')) as { readonly id: string }[];
        return waiting[0]?.id;
      }, 30_000);
      if (id !== undefined) await withConfig('approve', id);
    },
    close() {
      for (const line of execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n')) {
        const [, pid] = line.includes(top) ? (/^ *(\d+) /.exec(line) ?? []) : [];
        if (pid !== undefined && Number(pid) !== process.pid) end(Number(pid));
      }
      rmSync(top, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It went in this moment.
  }
}
