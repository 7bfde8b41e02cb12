import { lstatSync, readdirSync } from 'node:fs';
import { relative } from 'node:path';
import type { Losses } from '../../../contract/capabilities/dry-run.ts';
import type { LandingKeeper } from '../../../contract/capabilities/landing.ts';
import { asBytes, fromText, toText } from '../../../ground/byte-paths.ts';
import type { Marks } from '../marks.ts';
import type { Overlay } from '../overlay.ts';
import { createPause, type Pause } from '../pauses.ts';
import { rootOf } from '../read.ts';
import { brokenRepositories } from './broken-repositories.ts';
import {
  type Collected,
  collect,
  filesInNew,
  isMadeAnew,
  lowerPath,
  type Touched,
  upperPath,
} from './collect.ts';
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
  /** As `LandingKeeper` has it. */
  readonly isOurs: LandingKeeper['isOurs'];
}

/**
 * Finds what would be missed of what a command changed, and what of it is obeyed later. Reads only what the layer holds
 * and what is gone; the contents of files only where they would be missed.
 */
export async function surveyLayers(
  overlays: readonly Overlay[],
  options: SurveyOptions,
): Promise<Omit<Losses, 'earlier'>> {
  let all: Omit<Losses, 'earlier'> = { files: 0, withKept: 0, of: 0, repositories: [], obeyed: [] };
  for (const overlay of overlays) {
    // What is kept for commands beside the roots is nobody's file.
    if (rootOf(overlay.on, options.roots) === undefined) continue;
    const one = await survey(overlay, options);
    const isMore = one.withKept * Math.max(all.of, 1) > all.withKept * Math.max(one.of, 1);
    const { withKept, of } = isMore ? one : all;
    all = {
      files: all.files + one.files,
      ...{ withKept, of },
      repositories: [...all.repositories, ...one.repositories],
      obeyed: [...all.obeyed, ...one.obeyed],
    };
  }
  return all;
}

async function survey(overlay: Overlay, options: SurveyOptions): Promise<Omit<Losses, 'earlier'>> {
  const pause = createPause();
  const found = await collect(overlay, options.marks, pause);
  const isOurs = (hostPath: string) => options.isOurs(hostPath, 'made');
  const isWritten = (path: string) => options.isOurs(toText(path), 'written');
  const hostOf = ({ path }: Pick<Touched, 'path'>) => toText(`${fromText(overlay.on)}/${path}`);
  const shown = (path: string) => {
    const host = hostOf({ path });
    return relative(rootOf(host, options.roots) ?? overlay.on, host);
  };
  const repositoryOf = createRepositories(overlay);
  const isIgnored = createIgnored(fromText(overlay.on), (path) => !isWritten(path));
  const broken = brokenRepositories(found.git, overlay, (path) => isOurs(hostOf({ path })));

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

  let files = 0;
  let withKept = 0;
  for (const { path, before } of lost) {
    await pause();
    const repository = repositoryOf(path);
    const isKept =
      repository !== undefined &&
      before !== undefined &&
      !broken.includes(repository.path) &&
      repository.keeps(path, before);
    if (!isKept) files += 1;
    if (!isKept || !repository.movedOn()) withKept += 1;
  }
  const isCounted = withKept >= fewFiles;
  return {
    ...{ files, withKept },
    of: isCounted ? await countFiles(overlay, { most: withKept * 2, isOurs, isIgnored, pause }) : 0,
    repositories: broken.map(shown),
    obeyed: (await obeyedPaths(found, shown, options.isObeyed, pause))
      .filter((file) => repositoryOf(file.path)?.knew(upperPath(file)) !== true)
      .map(({ path }) => shown(path)),
  };
}

/** New content at a path that something obeys. What lies in a folder that the command made is in nobody's way as yet. */
async function obeyedPaths(
  { created, changed, folders }: Collected,
  shown: (path: string) => string,
  isObeyed: (path: string) => boolean,
  pause: Pause,
): Promise<readonly Touched[]> {
  const obeyed: Touched[] = [];
  for (const file of [...created, ...changed]) {
    await pause();
    if (isObeyed(shown(file.path))) obeyed.push(file);
  }
  for (const folder of folders) {
    if (!/(^|\/)\.[^/]*$/.test(folder.path)) continue;
    for await (const file of filesInNew(folder, pause)) if (isObeyed(shown(file.path))) obeyed.push(file);
  }
  return obeyed;
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
