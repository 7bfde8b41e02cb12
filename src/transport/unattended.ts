import type { Arrival } from '../contract/call.ts';
import { isObject } from './jsonrpc.ts';

/**
 * Clients that say with a call that no person is at them, as they were seen to by `npm run clients`. Others do not say
 * it: `copilot -p` and `claude -p` send what they send at a terminal, and are known by how quickly they answer alone.
 */
const saying: readonly (readonly [
  name: RegExp,
  says: (meta: Readonly<Record<string, unknown>>) => boolean,
])[] = [
  // `codex exec` declines by itself; at a terminal it asks.
  [/^codex-mcp-client$/, (meta) => turnOf(meta).turn_trigger === 'exec'],
];

export function saysUnattended({ client }: Pick<Arrival, 'client'>, meta: unknown): boolean {
  const [, says] = saying.find(([name]) => name.test(client?.name ?? '')) ?? [];
  return isObject(meta) && says?.(meta) === true;
}

function turnOf(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const turn = meta['x-codex-turn-metadata'];
  return isObject(turn) ? turn : {};
}
