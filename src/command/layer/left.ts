import { existsSync, readdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

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
  const { bavail, bsize } = statfsSync(at);
  if (bavail * bsize >= roomForPlan) writeFileSync(join(at, name), JSON.stringify(note), { flush: true });
}

/** Undefined if the command had not ended, or its landing had begun. */
export function readEnded(at: string): z.output<typeof kept> | undefined {
  const path = join(at, name);
  if (!existsSync(path) || existsSync(join(at, 'landing.json'))) return undefined;
  try {
    return kept.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // The kill cut the note off.
    return undefined;
  }
}

/** Returns true if such layers exist, of any server. */
export function hasEnded(base: string): boolean {
  return existsSync(base) && readdirSync(base).some((each) => readEnded(join(base, each)) !== undefined);
}

const name = 'ended.json';
const roomForPlan = 1024 * 1024;
