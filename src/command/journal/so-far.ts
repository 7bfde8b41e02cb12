import { lstatSync, type Stats } from 'node:fs';
import { relative } from 'node:path';
import type { DryRun, DryRunChange } from '../../contract/capabilities/dry-run.ts';
import type { KeptBytes } from '../../contract/capabilities/landing.ts';
import { limits } from '../../contract/limits.ts';
import { kindOf } from '../../files/reading.ts';
import { asBytes, fromText, toText } from '../../ground/byte-paths.ts';
import { generatedFolders } from '../../ground/generated-folders.ts';
import { isBelow } from '../../ground/inside.ts';
import { createDiff } from '../layer/diff.ts';
import { statAt } from '../layer/entries.ts';
import { isGits } from '../layer/git-refs.ts';
import { type Collected, lowerPath, type Touched, upperPath } from '../layer/losses/collect.ts';
import { surveyLosses, together } from '../layer/losses/survey.ts';
import type { Overlay } from '../layer/overlay.ts';
import type { Content } from './entering.ts';
import { type Former, readJournal } from './journal.ts';

/** A loss that waits for an answer. */
interface PendingLoss {
  /** Host path; bytes, one per character. */
  readonly path: string;
  readonly isFolder: boolean;
  /** The host path of the content that takes its place; undefined: none does. */
  readonly by?: string | undefined;
}

/** The changes of a running command so far, with its pending changes as if they had happened. */
export interface SoFar {
  /** Without the diff. */
  readonly effects: DryRun;
  /** With the diff. */
  show(): Promise<DryRun>;
  /** A file was emptied just now, and may be about to be filled. */
  readonly isInHand: boolean;
  /** A git is at work, and more is lost if it does not move on to another commit. */
  readonly isUnsure: boolean;
}

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
): Promise<SoFar> {
  const coming = pending && 'contents' in pending ? pending.contents : [];
  const lost = pending && 'contents' in pending ? undefined : pending;
  const formers = new Map<string, Former>();
  for (const former of readJournal(folder)) if (!formers.has(former.path)) formers.set(former.path, former);
  const isPending = (path: string) =>
    path === lost?.path || (lost?.isFolder === true && isBelow(path, lost.path));
  const upperOf = (path: string) => (path === lost?.path ? lost.by : undefined);
  const nowOf = (path: string) => {
    const at = upperOf(path) ?? (isPending(path) ? undefined : path);
    return at === undefined ? undefined : statAt(at);
  };
  const isComing = (path: string) => coming.some((content) => content.path === path);
  let isUnsure = false;
  const all: (Touched & { readonly root: string })[] = [];
  const none = { files: 0, unkept: 0, withKept: 0, of: 0, repositories: [], names: [] };
  let lostSoFar: Parameters<typeof together>[0] = none;
  for (const root of roots) {
    const top = fromText(root);
    const overlay: Overlay = {
      on: root,
      upper: root,
      data: '',
      lowerOf: (path) => formers.get(path)?.kept && fromText(formers.get(path)?.kept ?? ''),
    };
    const touched = [...formers.values()]
      .filter(({ path }) => isBelow(path, top) && !isComing(path))
      .map(
        (former): Touched => ({
          overlay,
          path: relative(top, former.path),
          before: beforeOf(former),
          now: nowOf(former.path),
          upper: upperOf(former.path),
          lower: former.kept && fromText(former.kept),
        }),
      );
    if (lost && isBelow(lost.path, top) && !formers.has(lost.path))
      touched.push({
        overlay,
        path: relative(top, lost.path),
        before: statAt(lost.path),
        now: nowOf(lost.path),
        upper: lost.by,
      });
    const found = sorted(touched);
    const one = await surveyLosses(found, overlay, { roots, isOurs, mostBytes, mostCounted });
    isUnsure ||= one.isUnsure;
    lostSoFar = together(lostSoFar, { ...one, of: one.of + found.gone.length });
    all.push(...touched.map((each) => ({ ...each, root })));
  }
  const arrived = coming.flatMap((content) => {
    const root = roots.findLast((each) => isBelow(content.path, fromText(each)));
    if (root === undefined) return [];
    const path = relative(fromText(root), content.path);
    const former = formers.get(content.path);
    const before = former ? former.kept && fromText(former.kept) : statAt(content.path) && content.path;
    return [{ ...content, root, path, before }];
  });
  // Ask about these only: earlier losses were asked about when they happened.
  const losses =
    coming.length > 0
      ? { ...none, of: lostSoFar.of, earlier, obeyed: arrived.map(({ path }) => path) }
      : { ...lostSoFar, earlier, obeyed: [] };
  const changes = [
    ...all.flatMap((each) => changeOf(each) ?? []),
    ...arrived.map(
      ({ root, path, before }): DryRunChange => ({
        root,
        path: toText(path),
        change: before === undefined ? 'created' : 'changed',
        kind: 'file',
      }),
    ),
  ];
  const listed = changes.toSorted(byRank).slice(0, limits.dryRunChanges);
  const effects: DryRun = { changes: listed, total: changes.length, losses, diff: '', isDiffCut: false };
  const recently = Date.now() - handMs;
  return {
    effects,
    isUnsure,
    isInHand: all.some(
      ({ now, before }) => before?.isFile() && now?.isFile() && now.size === 0 && now.mtimeMs > recently,
    ),
    async show() {
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
      return { ...effects, diff: diff.text(), isDiffCut: diff.isCut() };
    },
  };
}

function sorted(touched: readonly Touched[]): Collected {
  const found: Collected = { gone: [], changed: [], created: [], folders: [], git: [] };
  for (const each of touched) {
    const { path, before, now } = each;
    if (!before && !now) continue;
    if (
      path
        .split('/')
        .slice(0, -1)
        .some((name) => generatedFolders.has(name))
    )
      continue;
    if (isGits(path)) found.git.push(each);
    // The entries of a folder are reported one by one.
    else if (now?.isDirectory() || (!now && before?.isDirectory())) continue;
    else if (!now) found.gone.push(each);
    else (before ? found.changed : found.created).push(each);
  }
  return found;
}

function changeOf({
  root,
  path,
  before,
  now,
}: Touched & { readonly root: string }): DryRunChange | undefined {
  const isFolder = (stat: Stats | undefined) => stat?.isDirectory() === true;
  if ((!before && !now) || (before && now && isFolder(before) && isFolder(now))) return undefined;
  const change = !now ? 'deleted' : before ? 'changed' : 'created';
  const stat = now ?? before;
  if (!stat || (stat.isDirectory() && change !== 'created')) return undefined;
  const kind = kindOf(stat);
  return { root, path: toText(path), change, kind, ...(kind === 'file' && { bytes: stat.size }) };
}

/** Deletions first, git's own files last. */
function byRank(a: DryRunChange, b: DryRunChange): number {
  const rank = ({ change, path }: DryRunChange) => (change === 'deleted' ? 0 : 1) + (isGits(path) ? 2 : 0);
  return rank(a) - rank(b) || (a.path < b.path ? -1 : 1);
}

function beforeOf({ kept, kind, mtimeMs, path }: Former): Stats | undefined {
  if (kept !== undefined) return Object.assign(lstatSync(kept), { mtimeMs });
  return kind === 'absent' ? undefined : (statAt(path.slice(0, path.lastIndexOf('/'))) ?? lstatSync('/'));
}

const mostCounted = 1000;
const handMs = 1000;
