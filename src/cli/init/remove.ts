import { resolve } from 'node:path';
import { clientConfig, clientNames } from '../clients.ts';
import { hookedClients } from './hooked-clients.ts';
import { removeHooks } from './hooks.ts';
import { switchOn } from './own-tools.ts';

type Options = Readonly<Record<string, unknown>>;

/** Removes `init`'s entries from a client's settings: hooks, and names of its own tools. */
export async function removeOurs(options: Options): Promise<number> {
  const client = String(options.client ?? 'claude');
  // Hooks may have been written into the same file after its tools were switched off.
  const ofHooks = hookedClients.has(client) ? await removeHooks(options) : undefined;
  const known = clientNames.find((name) => name === client);
  const off = known && clientConfig(known, '', []).off;
  const isOn = await switchOn(client, off, resolve(String(options.root ?? '.')), options.yes === true);
  if (isOn !== undefined) return isOn ? (ofHooks ?? 0) : 1;
  return ofHooks ?? removeHooks(options);
}
