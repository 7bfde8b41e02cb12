import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { cursor, isOfCursor } from './cursor.ts';
import type { Adapter } from './event.ts';
import { gemini } from './gemini.ts';

/** The clients whose hooks are understood, by the name that `sekisho hook` takes. */
export const adapters: ReadonlyMap<string, Adapter> = new Map([
  ['claude', claude],
  ['codex', codex],
  ['gemini', gemini],
  ['cursor', cursor],
]);

/** Whose event it is that this client's hook was told of. */
export function adapterOf(client: string, event: unknown): Adapter | undefined {
  return client === 'claude' && isOfCursor(event) ? cursor : adapters.get(client);
}
