import { existsSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as z from 'zod';
import { createFolderLocks } from '../../files/changing/folder-locks.ts';
import { openLocks } from '../../files/changing/lock.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { asBytes, fromText, toText } from '../../ground/machine/byte-paths.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { once } from '../../ground/waiting/once.ts';
import { createTurns } from '../../ground/waiting/turns.ts';
import { applySteps } from './apply.ts';
import { signatureOf } from './entries.ts';
import { dropLeftLock, inGitOrder, isGits, isRef, type MetRef } from './git-refs.ts';
import { findOpen, LayerUnfit, MetAnotherGit, metAnotherGit } from './in-use.ts';
import { type LandOptions, makePlan, type Told } from './make-plan.ts';
import type { Marks } from './marks.ts';
import { type Overlay, rootOf } from './overlay.ts';
import { type PlannedOverlay, step } from './plan.ts';
import { isFullDisk, landingNotBegun, landingStopped } from './stopped.ts';

/** Lands the changes of one command at a time, while no tool changes a file there, in this and all other servers. */
export type InTurn = <T>(folders: readonly string[], land: () => Promise<T>) => Promise<T>;

export function createInTurn(): InTurn {
  // Landings of this process queue here, so that the lock waits only for other servers.
  const turns = createTurns();
  const locks = once(() => createFolderLocks(openLocks()));
  return (folders, land) =>
    turns.take('landing', async () => {
      const release = await (await locks()).hold(folders);
      using _ = defer(() => release());
      return await land();
    });
}

/** Paths relative to their root. */
export interface LandedPaths {
  /** Changed by another program since the command began, and overwritten. */
  readonly conflicts: readonly string[];
  /** Removed by another program since the command began, and created again by the landing. */
  readonly revived: readonly string[];
  readonly refused: readonly string[];
  /** Moved by another git meanwhile, and left as it has them. */
  readonly metRefs: readonly MetRef[];
}

/**
 * Moves the changes on the layers into the folders below. Everything is planned, and kept for undo, before the first
 * change. The plan is written to disk first, so that after a kill the next server completes it (`finishLanding`). `at`
 * is the folder of the layers. Paths that a program without locks changed after the planning are planned once more.
 * Throws `LayerUnfit` before any change if another program would be harmed, and throws if the system refuses a step (a
 * full disk): earlier steps stand.
 */
export async function landLayers(
  overlays: readonly Overlay[],
  at: string,
  options: Omit<LandOptions, 'trash'>,
  marks: Marks,
): Promise<LandedPaths> {
  const told: Told = { conflicts: [], revived: [], refused: [], metRefs: [], databases: [], replaced: [] };
  const trash = join(at, trashFolder);
  for (let round = 1; ; round++) {
    const given = { ...options, trash, isRest: round > 1, insists: round === rounds };
    if (await landOnce(overlays, at, given, marks, told)) return told;
  }
}

/** Returns true if everything is in place. */
async function landOnce(
  overlays: readonly Overlay[],
  at: string,
  options: LandOptions & { readonly insists: boolean },
  marks: Marks,
  told: Told,
): Promise<boolean> {
  const planned = await noted(async () => {
    const all: PlannedOverlay[] = [];
    for (const overlay of overlays) {
      const steps = inGitOrder(await makePlan(overlay, options, marks, told));
      if (steps.length > 0) all.push({ on: overlay.on, upper: overlay.upper, steps });
    }
    return all;
  });
  const others = [...told.conflicts, ...told.revived, ...told.metRefs.map(({ path }) => path)][0];
  if (options.overwrites === false && others !== undefined)
    throw new LayerUnfit(`others changed ${others} meanwhile`);
  const mayTurnBack = options.isRest ? undefined : options.mayTurnBack;
  if (mayTurnBack) turnBackFor(whyUnfit(told, marks), mayTurnBack);
  if (planned.length === 0) return true;
  await noted(async () => options.keeper?.begin());
  let isWhole = false;
  try {
    // Keeping the former contents took time, so check again.
    if (mayTurnBack) for (const overlay of planned) turnBackFor(gitAtWork(overlay), mayTurnBack);
    await noted(() => {
      writeFileSync(join(at, `${planFile}.new`), JSON.stringify(planned));
      renameSync(join(at, `${planFile}.new`), join(at, planFile));
    });
    let late = 0;
    for (const overlay of planned) late += await apply(overlay, options);
    isWhole = late === 0;
    return isWhole;
  } finally {
    rmSync(join(at, planFile), { force: true });
    await options.keeper?.end(isWhole);
  }
}

/** Nothing is changed yet, so a full disk is reported as that. */
async function noted<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isFullDisk(error) ? landingNotBegun(error) : error;
  }
}

/**
 * Does not overwrite files that other programs share by locks, as long as the command can run again and wait for them.
 */
function turnBackFor(why: LayerUnfit | undefined, mayTurnBack: LandOptions['mayTurnBack']): void {
  if (why && mayTurnBack?.()) throw why;
}

function whyUnfit(
  { databases, replaced, conflicts, revived, metRefs }: Told,
  marks: Marks,
): LayerUnfit | undefined {
  const open = findOpen(databases);
  if (open !== undefined) return new LayerUnfit(`${open} is a database that another program has open`);
  const written = replaced.find((path) => marks.isBeingWritten(asBytes(path)));
  if (written !== undefined) return new LayerUnfit(`another program has ${toText(written)} open for writing`);
  const git = metRefs[0]?.path ?? [...conflicts, ...revived].find(isGits);
  return git === undefined ? undefined : metAnotherGit(git);
}

function gitAtWork({ on, steps }: PlannedOverlay): LayerUnfit | undefined {
  for (const step of steps) {
    if ((step.do !== 'move' && step.do !== 'remove') || !isGits(step.path)) continue;
    const path = asBytes(`${fromText(on)}/${step.path}`);
    const now = lstatSync(path, { throwIfNoEntry: false });
    const isLocked = existsSync(asBytes(`${fromText(on)}/${step.path}.lock`));
    if (isLocked || (now && signatureOf(now)) !== step.was)
      return new MetAnotherGit(`another git is at work on ${toText(step.path)}`);
  }
  return undefined;
}

/** Returns the number of steps that were left. */
async function apply(
  overlay: PlannedOverlay,
  { roots, trash, insists, keeper }: LandOptions & { readonly insists: boolean },
): Promise<number> {
  let inHand = '';
  try {
    const late = await applySteps(overlay, {
      trash,
      meets: insists ? 'overwrite' : 'leave',
      leavesOut: keeper?.leavesOut,
      at: (path) => {
        inHand = path;
      },
    });
    if (late.size > 0) forgetDone(overlay, late);
    return late.size;
  } catch (error) {
    const hostPath = join(overlay.on, toText(inHand));
    throw landingStopped(error, relative(rootOf(hostPath, roots) ?? overlay.on, hostPath));
  }
}

/** A removal counts once, even if the path is created again. */
function forgetDone({ upper, steps }: PlannedOverlay, late: ReadonlySet<string>): void {
  for (const { do: what, path } of steps)
    if (what === 'remove' && !late.has(path)) rmSync(asBytes(`${fromText(upper)}/${path}`), { force: true });
}

/** Finishes the landing that a killed server began. Does nothing if none was begun, or it was done. */
export async function finishLanding(at: string): Promise<void> {
  let words: string;
  try {
    words = readFileSync(join(at, planFile), 'utf8');
  } catch (error) {
    if (errnoCode(error) === 'ENOENT') return;
    throw error;
  }
  const planned = plans.parse(JSON.parse(words));
  await createInTurn()(
    planned.map(({ on }) => on),
    async () => {
      for (const overlay of planned) {
        for (const { path } of overlay.steps)
          if (isRef(path)) dropLeftLock(`${fromText(overlay.on)}/${path}`);
        await applySteps(overlay, { trash: join(at, trashFolder), meets: 'leave' });
      }
      rmSync(join(at, planFile));
    },
  );
}

const plans = z.array(z.object({ on: z.string(), upper: z.string(), steps: z.array(step) }));

const planFile = 'landing.json';
const trashFolder = 'gone';
const rounds = 5;
