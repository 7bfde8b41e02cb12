import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mayLive, owner, thisProcess } from '../../files/changing/under-way.ts';
import { readEnded } from './left.ts';

/**
 * Deals with the layers of killed servers: finishes a landing that was begun, and removes the rest. Costs one directory
 * read if there are none.
 */
export async function recoverLayers(base: string): Promise<void> {
  for (const at of left(base)) {
    // Its command had ended: it is judged first.
    if (readEnded(at) || !claim(at)) continue;
    const { finishLanding } = await import('./land.ts');
    const { removeLayer } = await import('./remove.ts');
    await finishLanding(at);
    // In the background; the next start finds entries that could not be removed.
    void removeLayer(at).catch(() => undefined);
  }
}

/** Claims, for this server, the folders of killed servers' layers whose commands had ended. */
export function claimEnded(base: string): readonly string[] {
  return left(base).filter((at) => readEnded(at) !== undefined && claim(at));
}

function left(base: string): readonly string[] {
  if (!existsSync(base)) return [];
  const layers = readdirSync(base).filter((name) => name.startsWith(prefix));
  return layers.map((name) => join(base, name)).filter(isLeft);
}

function isLeft(at: string): boolean {
  const head = join(at, 'owner');
  if (!existsSync(head)) return false;
  const who = owner.safeParse(parsed(readFileSync(head, 'utf8')));
  return who.success && !mayLive(who.data, head);
}

/** Prevents two servers that start at once from both finishing it. */
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
    // A crash cut the note off: the owner is unknown, so the layer stays.
    return undefined;
  }
}

const prefix = 'layer-';
