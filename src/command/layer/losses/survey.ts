import { isUtf8 } from 'node:buffer';
import { relative } from 'node:path';
import type { Losses } from '../../../contract/capabilities/dry-run.ts';
import type { KeptBytes, LandingKeeper } from '../../../contract/capabilities/landing.ts';
import { Lent } from '../../../files/lent.ts';
import { asBytes, fromText, toText } from '../../../ground/machine/byte-paths.ts';
import { namesAt, statAt } from '../entries.ts';
import type { Marks } from '../marks.ts';
import { createGate } from '../obeyed/gate.ts';
import type { Makers } from '../obeyed/makers.ts';
import { isRefFile } from '../obeyed/refs.ts';
import { type Overlay, rootOf } from '../overlay.ts';
import { createPause, type Pause } from '../walk.ts';
import {
  type Collected,
  collect,
  entriesInNew,
  isMadeAnew,
  lowerPath,
  type Touched,
  upperPath,
} from './collect.ts';
import { findGitLosses } from './git-losses.ts';
import { createIgnored } from './ignored.ts';
import { withoutMoved } from './moved.ts';
import { emptyBytes, isOverwritten } from './overwritten.ts';
import { createRepositories } from './repository.ts';

export interface SurveyOptions {
  readonly marks: Marks;
  /** When the command began, in milliseconds: later changes below the layer are by others. */
  readonly beganAtMs: number;
  /** Host paths. */
  readonly roots: readonly string[];
  /** Is a path below a root obeyed later, outside the sandbox and without a question? */
  readonly isObeyed: (path: string) => boolean;
  /** May no tool write it, even with a person's approval? */
  readonly isProtected: (path: string) => boolean;
  /** Knows who made the objects in git. */
  readonly makers: Makers;
  /** Did the command only fetch from a remote, and reach it? */
  readonly isFetched: boolean;
  /** As in `LandingKeeper`. */
  readonly isOurs: LandingKeeper['isOurs'];
  /** Undefined: the operator turned the history off. */
  readonly mostBytes?: KeptBytes | undefined;
}

/** The result of a survey. */
export interface Survey extends Omit<Losses, 'earlier'> {
  /** Host paths that do not land even with a person's approval. */
  readonly barred: readonly string[];
  /** A file of git's own that another git changed since the command began, relative to its root. */
  readonly metGit?: string | undefined;
}

/**
 * Finds the losses among a command's changes, and the changed paths that are obeyed later. Reads only the layer and
 * removed entries, and file contents only if they would be missed or obeyed.
 */
export async function surveyLayers(overlays: readonly Overlay[], options: SurveyOptions): Promise<Survey> {
  let all: Survey = { ...noLosses, obeyed: [], barred: [] };
  for (const overlay of overlays) {
    // Folders outside the roots that are kept for commands contain no user files.
    if (rootOf(overlay.on, options.roots) === undefined) continue;
    const one = await survey(overlay, options);
    all = {
      ...together(all, one),
      obeyed: [...all.obeyed, ...one.obeyed],
      barred: [...all.barred, ...one.barred],
      metGit: all.metGit ?? one.metGit,
    };
  }
  return all;
}

type Found = Omit<Losses, 'earlier' | 'obeyed'>;

export const noLosses: Found = { files: 0, unkept: 0, withKept: 0, of: 0, repositories: [], names: [] };

/** The losses in several folders. Of one that loses most of its files it is told how many. */
export function together(all: Found, one: Found): Found {
  const isMore = one.withKept * Math.max(all.of, 1) > all.withKept * Math.max(one.of, 1);
  const { withKept, of } = isMore || all.of === 0 ? one : all;
  return {
    files: all.files + one.files,
    unkept: (all.unkept ?? 0) + (one.unkept ?? 0),
    withKept,
    of,
    repositories: [...all.repositories, ...one.repositories],
    names: [...all.names, ...one.names],
  };
}

async function survey(overlay: Overlay, options: SurveyOptions): Promise<Survey> {
  const pause = createPause();
  using lent = new Lent();
  const found = await collect(overlay, options.marks, lent, pause);
  const met = found.git.find(
    ({ before }) => before && !before.isDirectory() && before.ctimeMs >= options.beganAtMs,
  );
  const { isUnsure: _, ...losses } = await surveyLosses(found, overlay, options, pause);
  return {
    metGit: met && shownIn(overlay, met.path, options.roots),
    ...losses,
    ...(await findObeyed(found, overlay, options, (path) => shownIn(overlay, path, options.roots), pause)),
  };
}

/**
 * Finds the losses among changes. `mostCounted`: the number of existing files that is counted in any case. `isUnsure`: a
 * git is at work, and more is lost if it does not move on.
 */
export async function surveyLosses(
  found: Collected,
  overlay: Overlay,
  options: Pick<SurveyOptions, 'roots' | 'isOurs' | 'mostBytes'> & { readonly mostCounted?: number },
  pause: Pause = createPause(),
): Promise<Found & { readonly isUnsure: boolean }> {
  const isOurs = (hostPath: string) => options.isOurs(hostPath, 'made');
  const isWritten = (path: string) => options.isOurs(toText(path), 'written');
  const hostOf = ({ path }: Pick<Touched, 'path'>) => hostPathIn(overlay, path);
  const repositoryOf = createRepositories(overlay);
  const isIgnored = createIgnored(fromText(overlay.on), (path) => !isWritten(path));
  const { broken, names } = findGitLosses(found.git, overlay, (path) => isOurs(hostOf({ path })));

  const missed: Touched[] = [];
  const isMissed = ({ path, before }: Touched) =>
    before?.isFile() === true &&
    before.size > emptyBytes &&
    !isOurs(hostOf({ path })) &&
    !isIgnored(path, false);
  for (const file of found.gone) {
    await pause();
    if (isMissed(file)) missed.push(file);
  }
  for (const file of found.changed) {
    await pause();
    const { before, now } = file;
    // Most rewritten files were made by the session itself, so their contents need not be compared.
    if (!before || !now || !isMissed(file)) continue;
    if (isOverwritten(lowerPath(file), before, upperPath(file), now)) missed.push(file);
  }
  const lost = await withoutMoved(missed, found, isIgnored, pause);

  const { file: mostOfOne, all: mostOfAll } = options.mostBytes ?? { file: Infinity, all: Infinity };
  let files = 0;
  let unkept = 0;
  let bytes = 0;
  let withKept = 0;
  let isUnsure = false;
  for (const file of lost) {
    const { path, before } = file;
    await pause();
    const repository = repositoryOf(path);
    const isKept =
      repository !== undefined &&
      before !== undefined &&
      !broken.includes(repository.path) &&
      repository.keeps(path, before, lowerPath(file));
    if (!isKept) {
      const size = before?.size ?? 0;
      files += 1;
      bytes += size;
      if (size > mostOfOne || bytes > mostOfAll || !isText(path)) unkept += 1;
    }
    if (!isKept || !repository.movedOn(file)) withKept += 1;
    else isUnsure ||= repository.isAtWork();
  }
  const most = Math.max(options.mostCounted ?? 0, withKept >= fewFiles ? withKept * 2 : 0);
  return {
    files,
    unkept,
    withKept,
    isUnsure,
    of: most > 0 ? await countFiles(overlay, { most, isOurs, isIgnored, pause }) : 0,
    repositories: broken.map((path) => shownIn(overlay, path, options.roots)),
    names: names.map((path) => shownIn(overlay, path, options.roots)),
  };
}

/** The history cannot store names that are not UTF-8. */
function isText(path: string): boolean {
  return isUtf8(asBytes(path));
}

function hostPathIn({ on }: Overlay, path: string): string {
  return toText(`${fromText(on)}/${path}`);
}

function shownIn(overlay: Overlay, path: string, roots: readonly string[]): string {
  const host = hostPathIn(overlay, path);
  return relative(rootOf(host, roots) ?? overlay.on, host);
}

/**
 * Finds new content at paths that something obeys. In a folder that the command made, content that a person may approve
 * does no harm yet, unless the folder itself is obeyed.
 */
async function findObeyed(
  { created, changed, gone, folders, git, lent }: Collected,
  overlay: Overlay,
  options: SurveyOptions,
  shown: (path: string) => string,
  pause: Pause,
): Promise<Pick<Survey, 'obeyed' | 'barred'>> {
  const [on, upper] = [fromText(overlay.on), fromText(overlay.upper)];
  const gate = createGate({ ...options, on, upper, pause });
  const obeyed: string[] = [];
  const barred: string[] = [];
  const refs: string[] = [];

  /** Matches at any depth, so the root need not be known. */
  const isProtected = (path: string) => options.isProtected(toText(path));

  async function look(file: Touched, mayAsk: boolean): Promise<boolean> {
    const pausing = pause();
    if (pausing) await pausing;
    if (isRefFile(file.path)) refs.push(file.path);
    const isMeant = isProtected(file.path) || (mayAsk && options.isObeyed(shown(file.path)));
    if (!isMeant || !file.now) return true;
    const path = shown(file.path);
    const entry = await gate.mayEnter(path, file.path, { at: upperPath(file), stat: file.now });
    if (entry === 'asked') obeyed.push(path);
    if (entry === 'never') barred.push(toText(lowerPath(file)));
    return entry !== 'never';
  }

  /** Returns true if some of it may land. */
  async function lookInto(folder: Touched, mayAsk: boolean): Promise<boolean> {
    // git's objects are many, and none is obeyed.
    if (/(^|\/)\.git\/objects$/.test(folder.path)) return true;
    let lands = false;
    for (const inner of entriesInNew(folder, lent)) {
      const isOne = inner.now?.isDirectory() ? await lookInto(inner, mayAsk) : await look(inner, mayAsk);
      lands = isOne || lands;
    }
    if (lands || !isProtected(folder.path)) return true;
    barred.push(toText(lowerPath(folder)));
    return false;
  }

  for (const file of [...created, ...changed]) await look(file, true);
  for (const folder of folders)
    await lookInto(folder, /(^|\/)\.[^/]*$/.test(folder.path) || options.isObeyed(shown(folder.path)));
  for (const { path, before } of [...gone, ...changed]) {
    await pause();
    if (before && (isProtected(path) || options.isObeyed(shown(path)))) gate.leaves(path, before);
  }
  for (const file of git) {
    if (file.now?.isDirectory()) await lookInto(file, false);
    else if (isRefFile(file.path)) refs.push(file.path);
  }
  gate.notesCommits(refs);
  return { obeyed, barred };
}

/** Counts the existing files that would be missed, up to `most`. */
async function countFiles(
  overlay: Overlay,
  {
    most,
    isOurs,
    isIgnored,
    pause,
  }: {
    readonly most: number;
    readonly pause: Pause;
    readonly isOurs: (hostPath: string) => boolean;
    readonly isIgnored: (path: string, isFolder: boolean) => boolean;
  },
): Promise<number> {
  let count = 0;
  const on = fromText(overlay.on);
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined && count <= most; folder = waiting.pop()) {
    for (const name of namesAt(folder === '' ? on : `${on}/${folder}`)) {
      await pause();
      const path = folder === '' ? name : `${folder}/${name}`;
      const stat = statAt(`${on}/${path}`);
      if (!stat || name === '.git' || isMadeAnew(name, stat) || isIgnored(path, stat.isDirectory())) continue;
      if (stat.isDirectory()) waiting.push(path);
      else if (stat.isFile() && stat.size > emptyBytes && !isOurs(toText(`${on}/${path}`))) count += 1;
      if (count > most) break;
    }
  }
  return count;
}

/** With fewer files, a large share of them is no sign of a mass deletion. */
const fewFiles = 4;
