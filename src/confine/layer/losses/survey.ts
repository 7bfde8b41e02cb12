import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync } from 'node:fs';
import { relative } from 'node:path';
import type { Losses } from '../../../contract/capabilities/dry-run.ts';
import type { KeptBytes, LandingKeeper } from '../../../contract/capabilities/landing.ts';
import { asBytes, fromText, toText } from '../../../ground/byte-paths.ts';
import type { Marks } from '../marks.ts';
import { createGate } from '../obeyed/gate.ts';
import type { Makers } from '../obeyed/makers.ts';
import { isRefFile } from '../obeyed/refs.ts';
import type { Overlay } from '../overlay.ts';
import { createPause, type Pause } from '../pauses.ts';
import { rootOf } from '../read.ts';
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
  /** Host paths. */
  readonly roots: readonly string[];
  /** Is a path below a root obeyed later, outside and unasked? */
  readonly isObeyed: (path: string) => boolean;
  /** Does no tool write it, whoever agrees? */
  readonly isProtected: (path: string) => boolean;
  /** Who made what git has. */
  readonly makers: Makers;
  /** Did the command do nothing but fetch from a remote, which it reached? */
  readonly isFetched: boolean;
  /** As `LandingKeeper` has it. */
  readonly isOurs: LandingKeeper['isOurs'];
  /** Absent: nothing is kept at all, as the operator has it. */
  readonly mostBytes?: KeptBytes | undefined;
}

/** What a survey finds out. */
export interface Survey extends Omit<Losses, 'earlier'> {
  /** Host paths of what does not land, whoever agrees. */
  readonly barred: readonly string[];
}

/**
 * Finds what would be missed of what a command changed, and what of it is obeyed later. Reads only what the layer holds
 * and what is gone; the contents of files only where they would be missed or obeyed.
 */
export async function surveyLayers(overlays: readonly Overlay[], options: SurveyOptions): Promise<Survey> {
  let all: Survey = {
    files: 0,
    unkept: 0,
    withKept: 0,
    of: 0,
    repositories: [],
    names: [],
    obeyed: [],
    barred: [],
  };
  for (const overlay of overlays) {
    // What is kept for commands beside the roots is nobody's file.
    if (rootOf(overlay.on, options.roots) === undefined) continue;
    const one = await survey(overlay, options);
    const isMore = one.withKept * Math.max(all.of, 1) > all.withKept * Math.max(one.of, 1);
    const { withKept, of } = isMore ? one : all;
    all = {
      files: all.files + one.files,
      unkept: (all.unkept ?? 0) + (one.unkept ?? 0),
      withKept,
      of,
      repositories: [...all.repositories, ...one.repositories],
      names: [...all.names, ...one.names],
      obeyed: [...all.obeyed, ...one.obeyed],
      barred: [...all.barred, ...one.barred],
    };
  }
  return all;
}

async function survey(overlay: Overlay, options: SurveyOptions): Promise<Survey> {
  const pause = createPause();
  const found = await collect(overlay, options.marks, pause);
  return {
    ...(await surveyLosses(found, overlay, options, pause)),
    ...(await findObeyed(found, overlay, options, (path) => shownIn(overlay, path, options.roots), pause)),
  };
}

/** What would be missed of changes. `mostCounted`: files that were there are counted as far as this in any case. */
export async function surveyLosses(
  found: Collected,
  overlay: Overlay,
  options: Pick<SurveyOptions, 'roots' | 'isOurs' | 'mostBytes'> & { readonly mostCounted?: number },
  pause: Pause = createPause(),
): Promise<Omit<Losses, 'earlier' | 'obeyed'>> {
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
    // Of most that a command writes anew nobody has to read both contents: its session made them.
    if (!before || !now || !isMissed(file)) continue;
    if (isOverwritten(lowerPath(file), before, upperPath(file), now)) missed.push(file);
  }
  const lost = await withoutMoved(missed, found, isIgnored, pause);

  const { file: mostOfOne, all: mostOfAll } = options.mostBytes ?? { file: Infinity, all: Infinity };
  let files = 0;
  let unkept = 0;
  let bytes = 0;
  let withKept = 0;
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
  }
  const most = Math.max(options.mostCounted ?? 0, withKept >= fewFiles ? withKept * 2 : 0);
  return {
    files,
    unkept,
    withKept,
    of: most > 0 ? await countFiles(overlay, { most, isOurs, isIgnored, pause }) : 0,
    repositories: broken.map((path) => shownIn(overlay, path, options.roots)),
    names: names.map((path) => shownIn(overlay, path, options.roots)),
  };
}

/** The history has no names that are not UTF-8. */
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
 * New content at paths that something obeys. What a person may agree to is in nobody's way as yet in a folder that the
 * command made, but for one that is obeyed itself.
 */
async function findObeyed(
  { created, changed, gone, folders, git }: Collected,
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

  /** At any depth, so that it need not be known below which root. */
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

  /** Returns whether something of it may land. */
  async function lookInto(folder: Touched, mayAsk: boolean): Promise<boolean> {
    // git's objects are many, and name nothing.
    if (/(^|\/)\.git\/objects$/.test(folder.path)) return true;
    let lands = false;
    for (const inner of entriesInNew(folder)) {
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

/** Files that were there, beside those that nobody would miss; as far as `most`. */
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
      const stat = lstatSync(asBytes(`${on}/${path}`), { throwIfNoEntry: false });
      if (!stat || name === '.git' || isMadeAnew(name, stat) || isIgnored(path, stat.isDirectory())) continue;
      if (stat.isDirectory()) waiting.push(path);
      else if (stat.isFile() && stat.size > emptyBytes && !isOurs(toText(`${on}/${path}`))) count += 1;
      if (count > most) break;
    }
  }
  return count;
}

function namesAt(path: string): readonly string[] {
  try {
    return readdirSync(asBytes(path), { encoding: 'latin1' as BufferEncoding }) as string[];
  } catch {
    // Gone meanwhile, or nobody's to read.
    return [];
  }
}

/** Fewer are not most of somebody's work, whatever else there is. */
const fewFiles = 4;
