import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeOf, hookFolderOf } from '../../config/places/state.ts';
import { ConfigError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { ownCommandsIn } from './hook-entries.ts';
import { type HookedClient, hookedClients } from './hooked-clients.ts';

export interface HookReport {
  readonly client: string;
  readonly works: boolean;
  readonly detail: Text;
  readonly remedy: string;
}

/** Tests each client's hooks with an event that must be refused, started as the client does. */
export function probeHooks(): readonly HookReport[] {
  const home = homeOf(process.env);
  return [...hookedClients].flatMap(([name, client]) => {
    const file = join(home, client.file);
    if (!existsSync(file)) return [];
    const problem = problemOf(name, client, file);
    if (problem === 'none of ours') return [];
    const remedy = `sekisho init --client ${name} --hooks`;
    return [{ client: name, works: problem === undefined, detail: problem ?? words.refuses, remedy }];
  });
}

function problemOf(name: string, client: HookedClient, file: string): Text | 'none of ours' | undefined {
  try {
    const commands = ownCommandsIn(readFileSync(file, 'utf8'), client, name, file);
    if (commands.size === 0) return 'none of ours';
    const missing = client.events.find(({ event }) => !commands.has(event));
    if (missing) return words.missing(missing.event);
    const [before] = client.events;
    const [command = '', event = ''] = [commands.get(before.event), before.event];
    const good = JSON.stringify({
      session_id: 'sekisho-doctor',
      turn_id: 'probe',
      tool_use_id: `probe-${process.pid}`,
      conversation_id: 'sekisho-doctor',
      workspace_roots: [process.cwd()],
      cwd: process.cwd(),
      hook_event_name: event,
      permission_mode: 'dontAsk',
      // Never within reach of tools: it is outside the roots, or hidden in them.
      ...client.write(join(hookFolderOf(process.env, homeOf(process.env)), 'probe')),
    });
    for (const [what, input] of [
      [words.write, good],
      [words.cut, good.slice(0, -9)],
    ] as const) {
      const said = spawnSync('/bin/sh', ['-c', command], { input, encoding: 'utf8', timeout: probeMs });
      if (!isRefusal(said.status, said.stdout ?? '')) return words.lets(event, what);
    }
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.text;
    throw error;
  }
}

/** Reads the result as the clients do. */
function isRefusal(status: number | null, stdout: string): boolean {
  return status === 2 || (status === 0 && /"(permissionDecision|decision|permission)":"deny"/.test(stdout));
}

/** The first one starts the server. */
const probeMs = 20_000;

const words = {
  refuses: text('tested: refuses what it must', '拒否すべきものを拒否することを確認'),
  missing: (event: string) =>
    text(`the client no longer reports ${event}`, `${event} のフックがなくなっています`),
  lets: (event: string, what: Text) =>
    text(`${event} did not refuse ${what.en}`, `${event} が${what.ja}を拒否しませんでした`),
  write: text('a write where no tool may write', 'どのツールも書けない場所への書き込み'),
  cut: text('an event that was cut', '途中で切れたイベント'),
} as const;
