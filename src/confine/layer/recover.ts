import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mayLive, owner, thisProcess } from '../files/owner.ts';
import { readEnded } from './left.ts';

/**
 * Deals with the layers of servers that were killed: a landing that one had begun is finished, and nothing else of them
 * stays. Costs a look at the folder where there are none.
 */
export async function recoverLayers(base: string): Promise<void> {
  for (const at of left(base)) {
    // Its command had ended: it is judged first.
    if (readEnded(at) || !claim(at)) continue;
    const { finishLanding } = await import('./land.ts');
    const { removeLayer } = await import('./remove.ts');
    await finishLanding(at);
    // In its own time; the next start finds what could not be removed.
    void removeLayer(at).catch(() => undefined);
  }
}

/** The folders of such layers of killed servers whose commands had ended, each for one server. */
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
