import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { cursor, isOfCursor } from './cursor.ts';
import type { Adapter } from './event.ts';
import { gemini } from './gemini.ts';

/** The supported clients, by the name that `sekisho hook` takes. */
export const adapters: ReadonlyMap<string, Adapter> = new Map([
  ['claude', claude],
  ['codex', codex],
  ['gemini', gemini],
  ['cursor', cursor],
]);

/** The adapter of an event: Cursor also runs the hooks of Claude Code, with its own events. */
export function adapterFor(client: string, event: unknown): Adapter | undefined {
  return client === 'claude' && isOfCursor(event) ? cursor : adapters.get(client);
}
