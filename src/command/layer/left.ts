import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { freeBytes, mayLive, owner, thisProcess } from '../../files/changing/under-way.ts';
import { jsonOf } from '../../ground/or-else.ts';

const ended = z.object({
  who: z.object({ principal: z.string(), sessionId: z.string(), tool: z.string(), auditId: z.string() }),
  isTried: z.boolean(),
  roots: z.array(z.string()).readonly(),
  folders: z.array(z.string()).readonly(),
  names: z.array(z.string()).readonly(),
});

/** Another server needs this to judge and land a command that has ended. */
export type EndedCommand = z.output<typeof ended>;

const kept = ended.extend({
  overlays: z.array(z.object({ on: z.string(), upper: z.string() })),
  beganAtMs: z.number(),
});

/**
 * Notes in a layer's folder that its command has ended: from then on the layer outlives its server. On a disk that is
 * almost full, the room is left to the plan of the landing: only a kill before that is written loses what the command did.
 */
export function noteEnded(at: string, note: z.output<typeof kept>): void {
  if (freeBytes(at) >= roomForPlan) writeFileSync(join(at, endedFile), JSON.stringify(note), { flush: true });
}

/** Undefined if the command had not ended, or its landing had begun. */
export function readEnded(at: string): z.output<typeof kept> | undefined {
  const path = join(at, endedFile);
  if (!existsSync(path) || existsSync(join(at, 'landing.json'))) return undefined;
  // A kill may have cut the note off.
  return kept.safeParse(jsonOf(readFileSync(path, 'utf8'))).data;
}

/** Returns true if such layers exist, of any server. */
export function hasEnded(base: string): boolean {
  return existsSync(base) && readdirSync(base).some((each) => readEnded(join(base, each)) !== undefined);
}

/** Finishes the landings that killed servers began, and removes their other layers. Reads one directory if none. */
export async function recoverLayers(base: string): Promise<void> {
  for (const at of left(base)) {
    // Its command had ended: it is judged first.
    if (readEnded(at) || !claim(at)) continue;
    const { finishLanding } = await import('./land.ts');
    await finishLanding(at);
    // In the background; the next start finds entries that could not be removed.
    void removeLayer(at).catch(() => undefined);
  }
}

/** Claims, for this server, the folders of killed servers' layers whose commands had ended. */
export function claimEnded(base: string): readonly string[] {
  return left(base).filter((at) => readEnded(at) !== undefined && claim(at));
}

/**
 * Handles everything a command can leave: folders without rights, and trees deeper than the limit on paths. The owner's
 * note goes last: after a kill, the next server would not find a layer without it.
 */
export async function removeLayer(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const names = readdirSync(folder).filter((name) => name !== 'owner');
  await Promise.all(names.map((name) => removeAll(join(folder, name))));
  await removeAll(folder);
}

async function removeAll(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    // `rm` reports the entries whose mode could not be changed.
    await run('chmod', ['-R', 'u+rwX', '--', folder]).catch(() => undefined);
    await run('rm', ['-rf', '--', folder]);
  }
}

function left(base: string): readonly string[] {
  if (!existsSync(base)) return [];
  const layers = readdirSync(base).filter((name) => name.startsWith(layerPrefix));
  return layers.map((name) => join(base, name)).filter((at) => isDead(join(at, 'owner')));
}

/** Is it the note of a process that has ended? If a crash cut it off, the owner is unknown, so the layer stays. */
function isDead(note: string): boolean {
  if (!existsSync(note)) return false;
  const who = owner.safeParse(jsonOf(readFileSync(note, 'utf8')));
  return who.success && !mayLive(who.data, note);
}

/** Prevents two servers that start at once from both finishing it. */
function claim(layer: string): boolean {
  const path = join(layer, 'claimed');
  const note = `${JSON.stringify(thisProcess())}\n`;
  try {
    writeFileSync(path, note, { flag: 'wx' });
  } catch {
    // Another server claimed it, and may have been killed since.
    if (!isDead(path)) return false;
    writeFileSync(path, note);
  }
  return true;
}

const runIn = promisify(execFile);
/** The server's own PATH may lack them. */
const run = (name: string, args: readonly string[]) => runIn(name, args, { env: { PATH: '/usr/bin:/bin' } });
export const layerPrefix = 'layer-';
const endedFile = 'ended.json';
const roomForPlan = 1024 * 1024;
