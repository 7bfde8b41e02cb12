import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { openCheckpoint } from '../../src/checkpoint/index.ts';
import { loadSettings } from '../../src/config/load.ts';
import type { AuditEntry } from '../../src/contract/records.ts';
import { startFile } from '../support/run-command.ts';

/** A real server over stdio, spoken to by hand so that it can be left in the middle of a call. */
export function startServer(root: string, state: string, more: readonly string[] = []) {
  const child = spawn(
    process.execPath,
    [startFile, 'serve', '--root', root, '--state', state, '--toolsets', 'agent-cli', ...more],
    {
      stdio: ['pipe', 'pipe', 'ignore'],
      cwd: root,
      env: { PATH: process.env.PATH, HOME: state, SEKISHO_RESIDENT: 'off' },
    },
  );
  const exit = once(child, 'exit');
  const answers = new Map<number, (reply: unknown) => void>();
  createInterface(child.stdout).on('line', (line) => {
    const { id, result, error } = JSON.parse(line) as { id?: number; result?: unknown; error?: unknown };
    if (id !== undefined) answers.get(id)?.(result ?? error);
  });
  child.stdin.on('error', () => undefined);
  let lastId = 0;
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request = (method: string, params: object): Promise<unknown> => {
    const id = ++lastId;
    const reply = new Promise((resolve) => answers.set(id, resolve));
    send({ id, method, params });
    return reply;
  };
  return {
    child,
    exit,
    async connect(): Promise<void> {
      await request('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'by-hand', version: '1' },
      });
      send({ method: 'notifications/initialized' });
    },
    call: (name: string, args: object) => request('tools/call', { name, arguments: args }),
  };
}

/** The log, as the next server has it. */
export async function logOf(root: string, state: string): Promise<readonly AuditEntry[]> {
  const checkpoint = await openCheckpoint(loadSettings({ root, state }, { HOME: state }, root));
  try {
    const { audit } = await checkpoint.store();
    return await audit.search({ limit: 1_000_000 });
  } finally {
    await checkpoint.close();
  }
}
