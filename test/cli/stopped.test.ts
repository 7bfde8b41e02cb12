import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';

const rounds = process.env.SEKISHO_HAMMER ? Number(process.env.SEKISHO_RUNS ?? 100) : 2;
const base = realpathSync(mkdtempSync('/var/tmp/sekisho-stopped-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const root = join(base, 'root');
const state = join(base, 'state');
const server = join(import.meta.dirname, '../../dist/sekisho.js');

/** A server as a client starts it. */
function start() {
  const args = [server, 'serve', '--profile', 'coding', '--root', root, '--state', state];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, HOME: base },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let id = 0;
  let received = '';
  child.stdout.on('data', (chunk) => {
    received += chunk;
  });
  const send = (method: string, params: object) => {
    id += 1;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return id;
  };
  const answered = async (sent: number) => {
    await expect.poll(() => received, { interval: 5 }).toContain(`"id":${sent}`);
    return received;
  };
  return { child, send, answered, exited: once(child, 'exit') };
}

const hello = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'claude-code', version: '2.1.332' },
};

const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' });

function plant(): void {
  mkdirSync(root, { recursive: true });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Mai');
  git('config', 'user.email', 'mai@example.com');
  writeFileSync(join(root, 'a.txt'), 'first\n');
  git('add', '-A');
  git('commit', '-qm', 'one');
}

/** Is a commit of this name on a layer that is open? */
function isCommitted(message: string): boolean {
  const layers = join(state, 'layers');
  if (!existsSync(layers)) return false;
  if (git('log', '-1', '--format=%s').includes(message)) return true;
  return readdirSync(layers).some((name) => {
    const log = join(layers, name, '0/upper/.git/logs/HEAD');
    return existsSync(log) && readFileSync(log, 'utf8').trimEnd().split('\n').at(-1)?.includes(message);
  });
}

/** Is there a layer with a file of this name, or none any more? */
function hasLayer(name: string): boolean {
  const folders = readdirSync(join(state, 'layers')).filter((each) => each.startsWith('layer-'));
  return folders.length === 0 || folders.some((each) => existsSync(join(state, 'layers', each, name)));
}

/** How clients end a server: what they send, and after how many milliseconds it is killed. */
const clients: readonly (readonly [string, NodeJS.Signals, number])[] = [
  ['Claude Code', 'SIGINT', 500],
  ['Codex', 'SIGTERM', 25],
  ['Copilot', 'SIGTERM', 10],
];

describe('a server that its client stops', { ...needs(lackOfLayers), timeout: 7_200_000 }, () => {
  let round = 0;
  beforeAll(plant);

  /** Runs a commit, and kills the server so long after its first signal. Returns what the log ends with, and who says so. */
  async function commitAndStop(
    rest: string,
    signal: NodeJS.Signals,
    killMs: number,
    hasEnded: () => boolean,
  ) {
    round += 1;
    const { child, send, answered, exited } = start();
    await answered(send('initialize', hello));
    const command = `echo ${round} >> a.txt; git commit -qam round-${round}${rest}`;
    send('tools/call', { name: 'bash', arguments: { command } });
    await expect.poll(() => isCommitted(`round-${round}`) && hasEnded(), { interval: 2 }).toBe(true);
    child.kill(signal);
    await Promise.race([sleep(killMs), exited]);
    child.kill('SIGKILL');
    await exited;
    const next = start();
    await next.answered(next.send('initialize', hello));
    await next.answered(next.send('tools/call', { name: 'bash', arguments: { command: 'git status' } }));
    next.child.stdin.end();
    await next.exited;
    const history = spawnSync(process.execPath, [server, 'history', '--root', root, '--state', state], {
      env: { ...process.env, HOME: base, LANG: 'C' },
      encoding: 'utf8',
    });
    expect(git('fsck', '--no-dangling', '--no-progress')).toBe('');
    expect(git('status', '--short')).toBe('');
    return { log: git('log', '-1', '--format=%s').trim(), history };
  }

  test.each(clients)(
    'as %s does, with %s: a command that has ended is in place',
    async (_, signal, killMs) => {
      for (let times = 0; times < rounds; times++) {
        const { log, history } = await commitAndStop('', signal, killMs, () => hasLayer('ended.json'));
        expect(log).toBe(`round-${round}`);
        expect(history.stdout).toContain('changed a.txt');
        expect(history.stderr).not.toContain('is not listed');
      }
    },
  );

  test('what a command that still ran had done is in place, where the client gives it time', async () => {
    for (let times = 0; times < rounds; times++) {
      const { log } = await commitAndStop('; sleep 60', 'SIGINT', 10_000, () => true);
      expect(log).toBe(`round-${round}`);
    }
  });
});
