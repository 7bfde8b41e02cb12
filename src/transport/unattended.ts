import type { Arrival } from '../contract/call.ts';
import { isObject } from './jsonrpc.ts';

/**
 * Clients that mark calls as unattended, as `npm run clients` observed. Others do not: `copilot -p` and `claude -p`
 * send the same as at a terminal, and only their quick answers give them away.
 */
const saying: readonly (readonly [
  name: RegExp,
  says: (meta: Readonly<Record<string, unknown>>) => boolean,
])[] = [
  // `codex exec` declines automatically; at a terminal it asks.
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
