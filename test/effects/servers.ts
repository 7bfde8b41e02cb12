import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Reply } from '../../src/contract/call.ts';

/** A call, or to take back the call that first changed a path. */
export interface Asked {
  readonly tool?: string | undefined;
  readonly input?: unknown;
  readonly session?: string | undefined;
  readonly undo?: string | undefined;
}

/** Starts a server on a root, with a state folder of its own. */
export function startServer(root: string, state: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server.ts'), root, state], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const waiting = new Map<number, (said: object) => void>();
  let asked = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, said } = JSON.parse(line) as { readonly id: number; readonly said: object };
    waiting.get(id)?.(said);
    waiting.delete(id);
  });
  const ask = (what: Asked): Promise<object> =>
    new Promise((resolve) => {
      waiting.set(++asked, resolve);
      child.stdin.write(`${JSON.stringify({ id: asked, ...what })}\n`);
    });
  return {
    state,
    call: (tool: string, input: object, session?: string) => ask({ tool, input, session }) as Promise<Reply>,
    /** Runs a command by `bash`, and throws where it failed. Returns what it said of its landing. */
    async run(command: string, session?: string): Promise<string> {
      const reply = (await ask({ tool: 'bash', input: { command }, session })) as Reply;
      const { exit_code: code, stderr } = (reply.kind === 'output' ? reply.structured : undefined) ?? {};
      if (code !== 0) throw new Error(`${command}: ${JSON.stringify(reply)}`);
      return String(stderr);
    },
    /** Takes back the call that first changed a path; returns what became of each path of it. */
    undo: async (path: string) =>
      ((await ask({ undo: path })) as { readonly steps: readonly string[] }).steps,
    async close(): Promise<void> {
      child.stdin.end();
      await exit;
    },
  };
}
