import { lstatSync, type Stats } from 'node:fs';
import { relative } from 'node:path';
import type { DryRun, DryRunChange } from '../../contract/capabilities/dry-run.ts';
import type { KeptBytes } from '../../contract/capabilities/landing.ts';
import { limits } from '../../contract/limits.ts';
import { kindOf } from '../../files/reading.ts';
import { generatedFolders } from '../../ground/generated-folders.ts';
import { isBelow } from '../../ground/inside.ts';
import { asBytes, fromText, toText } from '../../ground/machine/byte-paths.ts';
import { createDiff } from '../layer/diff.ts';
import { statAt } from '../layer/entries.ts';
import { isGits } from '../layer/git-refs.ts';
import { type Collected, lowerPath, sortIn, type Touched, upperPath } from '../layer/losses/collect.ts';
import { noLosses, surveyLosses, together } from '../layer/losses/survey.ts';
import type { Overlay } from '../layer/overlay.ts';
import { byRank } from '../layer/read.ts';
import type { Content } from './entering.ts';
import { type Former, readFormers } from './journal.ts';

/** A loss that waits for an answer. */
export interface PendingLoss {
  /** Host path; bytes, one per character. */
  readonly path: string;
  readonly isFolder: boolean;
  /** The host path of the content that takes its place; undefined: none does. */
  readonly by?: string | undefined;
}

/** The changes of a running command so far, with its pending changes as if they had happened. */
export type SoFar = Awaited<ReturnType<typeof readSoFar>>;

export interface SoFarOptions {
  readonly folder: string;
  readonly roots: readonly string[];
  readonly isOurs: (hostPath: string, how: 'made' | 'written') => boolean;
  readonly mostBytes: KeptBytes | undefined;
  readonly earlier: number;
}

export async function readSoFar(
  { folder, roots, isOurs, mostBytes, earlier }: SoFarOptions,
  pending?: PendingLoss | { readonly contents: readonly Content[] },
) {
  const coming = pending && 'contents' in pending ? pending.contents : [];
  const lost = pending && 'contents' in pending ? undefined : pending;
  const formers = readFormers(folder);
  const all: Touched[] = [];
  let isUnsure = false;
  let lostSoFar = noLosses;
  for (const root of roots) {
    const kept = (path: string) => keptOf(formers.get(path));
    const overlay: Overlay = { on: root, upper: root, data: '', lowerOf: kept };
    const touched = touchedIn(overlay, formers, lost, new Set(coming.map(({ path }) => path)));
    const found = sorted(touched);
    const one = await surveyLosses(found, overlay, { roots, isOurs, mostBytes, mostCounted });
    isUnsure ||= one.isUnsure;
    lostSoFar = together(lostSoFar, { ...one, of: one.of + found.gone.length });
    all.push(...touched);
  }
  const arrived = coming.flatMap((content) => arrivedIn(roots, content, formers.get(content.path)) ?? []);
  // Ask about these only: earlier losses were asked about when they happened.
  const losses =
    coming.length > 0
      ? { ...noLosses, of: lostSoFar.of, earlier, obeyed: arrived.map(({ path }) => path) }
      : { ...lostSoFar, earlier, obeyed: [] };
  const changes = [...all.flatMap((each) => changeOf(each) ?? []), ...arrived.map(({ change }) => change)];
  const listed = changes.toSorted(byRank).slice(0, limits.dryRunChanges);
  const effects: DryRun = { changes: listed, total: changes.length, losses, diff: '', isDiffCut: false };
  const recently = Date.now() - handMs;
  return {
    /** Without the diff. */
    effects,
    /** A git is at work, and more is lost if it does not move on to another commit. */
    isUnsure,
    /** A file was emptied just now, and may be about to be filled. */
    isInHand: all.some(
      ({ now, before }) => before?.isFile() && now?.isFile() && now.size === 0 && now.mtimeMs > recently,
    ),
    /** With the diff. */
    show: async (): Promise<DryRun> => ({ ...effects, ...(await diffOf(all, arrived)) }),
  };
}

/** The changes below a root, with a pending loss as if it had happened. */
function touchedIn(
  overlay: Overlay,
  formers: ReadonlyMap<string, Former>,
  lost: PendingLoss | undefined,
  coming: ReadonlySet<string>,
): readonly Touched[] {
  const top = fromText(overlay.on);
  const touch = (path: string, before: Stats | undefined, lower: string | undefined): Touched => {
    const isLost = path === lost?.path || (lost?.isFolder === true && isBelow(path, lost.path));
    const upper = path === lost?.path ? lost.by : undefined;
    const now = isLost && upper === undefined ? undefined : statAt(upper ?? path);
    return { overlay, path: relative(top, path), before, now, upper, lower };
  };
  const touched = [...formers.values()]
    .filter(({ path }) => isBelow(path, top) && !coming.has(path))
    .map((former) => touch(former.path, beforeOf(former), keptOf(former)));
  if (lost && isBelow(lost.path, top) && !formers.has(lost.path))
    touched.push(touch(lost.path, statAt(lost.path), undefined));
  return touched;
}

/** Content about to come to a path that something obeys. */
function arrivedIn(roots: readonly string[], { path: hostPath, at }: Content, former: Former | undefined) {
  const root = roots.findLast((each) => isBelow(hostPath, fromText(each)));
  if (root === undefined) return undefined;
  const path = relative(fromText(root), hostPath);
  const before = former ? keptOf(former) : statAt(hostPath) && hostPath;
  const kind = before === undefined ? 'created' : 'changed';
  const change: DryRunChange = { root, path: toText(path), change: kind, kind: 'file' };
  return { path, before, at, change };
}

async function diffOf(
  all: readonly Touched[],
  arrived: readonly NonNullable<ReturnType<typeof arrivedIn>>[],
) {
  const diff = createDiff(limits.dryRunDiffBytes);
  for (const { path, before, at } of arrived)
    if (at !== undefined)
      await diff.add(path, before === undefined ? undefined : asBytes(before), asBytes(at));
  for (const each of all) {
    const change = changeOf(each);
    if (change?.kind !== 'file' || diff.isCut()) continue;
    const former = each.before?.isFile() ? asBytes(lowerPath(each)) : undefined;
    await diff.add(change.path, former, each.now?.isFile() ? asBytes(upperPath(each)) : undefined);
  }
  return { diff: diff.text(), isDiffCut: diff.isCut() };
}

function sorted(touched: readonly Touched[]): Collected {
  const found: Collected = { gone: [], changed: [], created: [], folders: [], git: [] };
  for (const each of touched) {
    const { path, before, now } = each;
    const above = path.split('/').slice(0, -1);
    if ((!before && !now) || above.some((name) => generatedFolders.has(name))) continue;
    // The entries of a folder are reported one by one.
    if (isGits(path) || !(now ?? before)?.isDirectory()) sortIn(found, each);
  }
  return found;
}

function changeOf({ overlay, path, before, now }: Touched): DryRunChange | undefined {
  const stat = now ?? before;
  if (!stat || (before?.isDirectory() && now?.isDirectory())) return undefined;
  const change = !now ? 'deleted' : before ? 'changed' : 'created';
  if (stat.isDirectory() && change !== 'created') return undefined;
  const kind = kindOf(stat);
  const bytes = kind === 'file' && { bytes: stat.size };
  return { root: overlay.on, path: toText(path), change, kind, ...bytes };
}

function beforeOf({ kept, kind, mtimeMs, path }: Former): Stats | undefined {
  if (kept !== undefined) return Object.assign(lstatSync(kept), { mtimeMs });
  return kind === 'absent' ? undefined : (statAt(path.slice(0, path.lastIndexOf('/'))) ?? lstatSync('/'));
}

/** Bytes, one per character. */
function keptOf(former: Former | undefined): string | undefined {
  return former?.kept && fromText(former.kept);
}

const mostCounted = 1000;
const handMs = 1000;
