import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mayLive, owner, thisProcess } from '../files/owner.ts';

/**
 * Deals with the layers of servers that were killed: a landing that one had begun is finished, and nothing else of them
 * stays. Costs a look at the folder where there are none.
 */
export async function recoverLayers(base: string): Promise<void> {
  if (!existsSync(base)) return;
  for (const name of readdirSync(base)) {
    const head = join(base, name, 'owner');
    if (!name.startsWith(prefix) || !existsSync(head)) continue;
    const who = owner.safeParse(parsed(readFileSync(head, 'utf8')));
    if (!who.success || mayLive(who.data, head) || !claim(join(base, name))) continue;
    const { finishLanding } = await import('./land.ts');
    const { removeLayer } = await import('./remove.ts');
    await finishLanding(join(base, name));
    // In its own time; the next start finds what could not be removed.
    void removeLayer(join(base, name)).catch(() => undefined);
  }
}

/** Two servers that start at once do not both finish it. */
function claim(layer: string): boolean {
  const path = join(layer, 'claimed');
  try {
    writeFileSync(path, `${JSON.stringify(thisProcess())}\n`, { flag: 'wx' });
    return true;
  } catch {
    const who = owner.safeParse(parsed(readFileSync(path, 'utf8')));
    if (!who.success || mayLive(who.data, path)) return false;
    writeFileSync(path, `${JSON.stringify(thisProcess())}\n`);
    return true;
  }
}

function parsed(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    // Torn by a crash: whose it was is not known, so it stays.
    return undefined;
  }
}

const prefix = 'layer-';
