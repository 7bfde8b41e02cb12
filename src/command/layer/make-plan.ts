import { closeSync, lstatSync, type Stats } from 'node:fs';
import { relative } from 'node:path';
import type { LandingKeeper, LandingSide } from '../../contract/capabilities/landing.ts';
import { Lent } from '../../files/lent.ts';
import { entryOf, itself, openFolderIn, openRootFolder } from '../../files/walk.ts';
import { asBytes, fromText, toText } from '../../ground/byte-paths.ts';
import { defer } from '../../ground/defer.ts';
import { lastOf, namesIn, sideOf, signatureOf, statOf } from './entries.ts';
import { type Fitting, makeFit } from './fit.ts';
import { findMetRefs, gitFolderOf, type MetRef, type MetRefs } from './git-refs.ts';
import { isDatabase } from './in-use.ts';
import type { Marks } from './marks.ts';
import type { Overlay } from './overlay.ts';
import { createPause } from './pauses.ts';
import { fileModeBits, folderModeBits, type Step } from './plan.ts';
import { deepest, isWhiteout, rootOf } from './read.ts';
import { throwAway } from './trash.ts';

export interface LandOptions {
  /** Host paths; reported paths are relative to the innermost root. */
  readonly roots: readonly string[];
  /** When the command began, in milliseconds: later changes below the layer are by others. */
  readonly beganAtMs: number;
  /** Must a command leave this host path unchanged, whether it exists or not? */
  readonly isProtected: (hostPath: string, isThere: boolean) => boolean;
  /**
   * May the landing be dropped because the command can run again? Asked if another program would be harmed; undefined:
   * no.
   */
  readonly mayTurnBack?: (() => boolean) | undefined;
  /** May it replace entries that others changed during the run? Undefined: yes. */
  readonly overwrites?: boolean | undefined;
  /** Our own folder on the layer's file system for entries that must not land. */
  readonly trash: string;
  /** Plans the rest of a landing; the folders have their modes already. */
  readonly isRest?: boolean | undefined;
  /** Keeps the contents that are replaced or removed. */
  readonly keeper?: LandingKeeper | undefined;
  /** Called for each name by which git would find a repository: host paths in bytes. */
  readonly onGitName?: ((path: string, isFolder: boolean) => void) | undefined;
}

/** Findings for a landing; reported paths are relative to their root. */
export interface Told {
  readonly conflicts: string[];
  /** Removed by others while the command ran, and created again. */
  readonly revived: string[];
  readonly refused: string[];
  /** Refs that another git moved meanwhile, and that are left as it has them. */
  readonly metRefs: MetRef[];
  /** Databases that are replaced or removed. */
  readonly databases: { readonly path: string; readonly stat: Stats }[];
  /** Other replaced or removed files, as host paths in bytes, as many as can be checked. */
  readonly replaced: string[];
}

/**
 * Plans an overlay's landing without changing anything below it: tells the keeper, and returns the steps. Takes off the
 * layer what must not land: devices, pipes, sockets, protected names, setuid rights. Only we can reach the layer, since
 * the command has ended. Others may still write below it, so that side is walked through open folders.
 */
export async function makePlan(
  overlay: Overlay,
  options: LandOptions,
  marks: Marks,
  { conflicts, revived, refused, metRefs, databases, replaced }: Told,
): Promise<readonly Step[]> {
  const { keeper, onGitName } = options;
  const steps: Step[] = [];
  const top = fromText(overlay.upper);
  const on = fromText(overlay.on);
  const pause = createPause();
  using lent = new Lent();
  /** Files below that the layer hides or changed: possible sources of a copy on it. */
  const sources = new Set<string>();
  const copies: { readonly path: string; readonly now: Stats }[] = [];
  /** By git's folder: what stays there as another git has it. */
  const met = new Map<string, MetRefs>();

  const upperOf = (path: string) => asBytes(path === '' ? top : `${top}/${path}`);
  const hostOf = (path: string) => toText(`${on}/${path}`);

  function place(path: string): { readonly root: string; readonly path: string } | undefined {
    const hostPath = hostOf(path);
    const root = rootOf(hostPath, options.roots);
    // Folders outside the roots that are kept for commands contain no user files.
    return root === undefined ? undefined : { root, path: relative(root, hostPath) };
  }

  function tell(told: string[], path: string): void {
    const found = place(path);
    if (found) told.push(found.path);
  }

  async function note(path: string, before: LandingSide | undefined, after: LandingSide | undefined) {
    const found = keeper && place(path);
    if (found && found.path !== '') await keeper.note({ ...found, before, after });
  }

  function upperSide(path: string, stat: Stats): LandingSide {
    return sideOf(stat, `${top}/${path}`);
  }

  /** Changed by others while the command ran. */
  function isNew({ ctimeMs }: Stats): boolean {
    return ctimeMs >= options.beganAtMs;
  }

  /** Notes an entry that is replaced or removed, and whether others changed it. */
  function look(path: string, before: Stats): void {
    if (before.isFile()) sources.add(likenessOf(before));
    if (before.isFile() && replaced.length < mostAsked) replaced.push(`${on}/${path}`);
    if (before.isFile() && isDatabase(path)) databases.push({ path: toText(path), stat: before });
    if (!before.isDirectory() && isNew(before)) tell(conflicts, path);
  }

  function refuse(path: string): void {
    tell(refused, path);
    throwAway(upperOf(path), options.trash);
  }

  const fitting: Fitting = {
    marks,
    upperOf,
    refuse,
    sawName,
    pause,
    isProtected: (path) => options.isProtected(hostOf(path), false),
  };

  /** Finds the refs in one of git's folders that another git moved. */
  function meetRefs(path: string, below: number): void {
    const found = findMetRefs(`${top}/${path}`, itself(below), options.beganAtMs);
    if (!found) return;
    met.set(path, found);
    for (const { path: ref, commit } of found.refs) {
      const shown = place(`${path}/${ref}`);
      if (shown) metRefs.push({ path: shown.path, commit });
    }
  }

  function isLeftToGit(path: string): boolean {
    const folder = met.size === 0 ? undefined : gitFolderOf(path);
    return folder !== undefined && met.get(folder)?.leaves(path.slice(folder.length + 1)) === true;
  }

  const leavesOut = (name: string) => keeper?.leavesOut(toText(name)) ?? false;

  /** Is it such a folder, or in one? The files of an installation are not reported one by one. */
  function isLeftOut(path: string, now: Stats): boolean {
    const names = path.split('/');
    return names.some((name, at) => leavesOut(name) && (now.isDirectory() || at < names.length - 1));
  }

  /** Walks a folder of the layer that lies over an existing one; if it `covers`, nothing of that shows through. */
  async function walk(path: string, lower: number, depth: number, covers: boolean): Promise<void> {
    for (const name of namesIn(upperOf(path))) {
      await pause();
      const inner = path === '' ? name : `${path}/${name}`;
      const now = lstatSync(upperOf(inner));
      const before = statOf(lower, name);
      lent.folder(asBytes(entryOf(lower, name)), before);
      sawName(inner, name, now);
      const isMerged = now.isDirectory() && before?.isDirectory() === true;
      if (isMerged) lent.take(upperOf(inner), now);
      if (depth >= deepest) refuse(inner);
      else if (isMerged) await walkFolder(inner, name, lower, { now, before, covers }, depth);
      else if (options.isProtected(hostOf(inner), before !== undefined)) refuse(inner);
      else if (isLeftToGit(inner)) continue;
      else if (isWhiteout(now)) await remove(inner, name, lower, before);
      else if (!now.isDirectory() && !now.isFile() && !now.isSymbolicLink()) refuse(inner);
      else await move(inner, name, lower, now, before);
    }
  }

  async function walkFolder(
    path: string,
    name: string,
    lower: number,
    { now, before, covers }: { readonly now: Stats; readonly before: Stats; readonly covers: boolean },
    depth: number,
  ): Promise<void> {
    const below = openFolderIn(lower, name, 'latin1');
    using _ = defer(() => closeSync(below));
    if (gitFolderOf(path) === path) meetRefs(path, below);
    // A folder that the command made is marked too: others may have made one of that name since.
    const isReplaced = covers || marks.read(upperOf(path), 'user.overlay.opaque') === 'y';
    const gone = isReplaced ? namesIn(asBytes(itself(below))) : [];
    const keeps = gone.filter((each) => options.isProtected(hostOf(`${path}/${each}`), true));
    if (isReplaced && !isNew(before) && keeps.length === 0 && !options.isProtected(hostOf(path), true)) {
      return await move(path, name, lower, now, before);
    }
    const kept = new Set(isReplaced ? namesIn(upperOf(path)) : []);
    for (const each of gone) {
      const inner = `${path}/${each}`;
      if (kept.has(each) || isLeftToGit(inner)) continue;
      const was = statOf(below, each);
      if (keeps.includes(each)) tell(refused, inner);
      else if (was && !isNew(was)) await remove(inner, each, below, was);
    }
    const had = steps.length;
    await walk(path, below, depth + 1, isReplaced);
    if (marks.attributes(upperOf(path)) !== marks.attributes(asBytes(entryOf(lower, name))))
      steps.push({ do: 'attributes', path });
    const isOtherMode = (before.mode & 0o7777) !== (now.mode & 0o7777) && !options.isRest;
    if (steps.length > had || isOtherMode || now.mtimeMs !== before.mtimeMs) steps.push(timesOf(path, now));
    // Last: the folder may be closed to its own user from then on.
    if (isOtherMode) {
      const mode = now.mode & folderModeBits;
      await note(path, sideOf(before, entryOf(lower, name)), { ...upperSide(path, now), mode });
      steps.push({ do: 'mode', path, mode });
    }
  }

  async function remove(path: string, name: string, lower: number, before: Stats | undefined) {
    // Another program removed it first.
    if (!before) return;
    look(path, before);
    steps.push({ do: 'remove', path, was: signatureOf(before) });
    await noteGone(path, name, lower, before);
  }

  async function move(path: string, name: string, lower: number, now: Stats, before: Stats | undefined) {
    if (before) look(path, before);
    else if (isCopied(path, now) && isNew(lstatSync(asBytes(`${itself(lower)}/.`))))
      copies.push({ path, now });
    const mode = now.mode & (now.isDirectory() ? folderModeBits : fileModeBits);
    await makeFit(path, now, true, path.split('/').length, fitting);
    if (!isLeftOut(path, now)) await notePair(path, now, before && { before, lower, name });
    steps.push({ do: 'move', path, ...(before && { was: signatureOf(before) }) });
    if (now.isDirectory() && (mode & 0o700) !== 0o700) steps.push({ do: 'mode', path, mode });
  }

  /** The file existed below when the command changed it, at this path or at the one that it was moved from. */
  function isCopied(path: string, now: Stats): boolean {
    return (
      (now.isFile() || now.isDirectory()) && marks.read(upperOf(path), 'user.overlay.origin') !== undefined
    );
  }

  interface Former {
    readonly before: Stats;
    readonly lower: number;
    readonly name: string;
  }

  /** Reports moved entries beside the ones they replace, path by path. */
  async function notePair(path: string, after: Stats, former: Former | undefined): Promise<void> {
    if (!keeper) return;
    const { before, lower, name } = former ?? {};
    const formerSide = before && lower !== undefined ? sideOf(before, entryOf(lower, name ?? '')) : undefined;
    const mask = after.isDirectory() ? folderModeBits : after.isSymbolicLink() ? 0o777 : fileModeBits;
    const side = { ...upperSide(path, after), mode: after.mode & mask };
    const isBoth = before?.isDirectory() === true && after.isDirectory();
    if (former && before?.isDirectory() && !isBoth) await noteInside(path, former);
    lent.take(upperOf(path), after);
    await note(path, formerSide, side);
    if (!after.isDirectory() || leavesOut(lastOf(path))) return;
    const names = new Set(namesIn(upperOf(path)));
    const below = isBoth && lower !== undefined ? openFolderIn(lower, name ?? '', 'latin1') : undefined;
    using _ = defer(() => {
      if (below !== undefined) closeSync(below);
    });
    for (const each of below === undefined ? [] : namesIn(asBytes(itself(below)))) {
      const gone = names.has(each) || below === undefined ? undefined : statOf(below, each);
      if (gone && below !== undefined) await noteGone(`${path}/${each}`, each, below, gone);
    }
    for (const each of names) {
      await pause();
      const inner = `${path}/${each}`;
      const was = below === undefined ? undefined : statOf(below, each);
      if (was) look(inner, was);
      const innerFormer = was && below !== undefined ? { before: was, lower: below, name: each } : undefined;
      await notePair(inner, lstatSync(upperOf(inner)), innerFormer);
    }
  }

  async function noteGone(path: string, name: string, lower: number, before: Stats): Promise<void> {
    await pause();
    if (before.isDirectory()) await noteInside(path, { before, lower, name });
    await note(path, sideOf(before, entryOf(lower, name)), undefined);
  }

  async function noteInside(path: string, { lower, name }: Former): Promise<void> {
    if (leavesOut(name)) return;
    const folder = openFolderIn(lower, name, 'latin1');
    using _ = defer(() => closeSync(folder));
    for (const each of namesIn(asBytes(itself(folder)))) {
      const before = statOf(folder, each);
      if (!before) continue;
      lent.folder(asBytes(entryOf(folder, each)), before);
      look(`${path}/${each}`, before);
      await noteGone(`${path}/${each}`, each, folder, before);
    }
  }

  function sawName(path: string, name: string, stat: Stats): void {
    if (isWhiteout(stat)) return;
    if (name === 'HEAD' || /^\.git$/i.test(name)) onGitName?.(`${on}/${path}`, stat.isDirectory());
  }

  const [now, before] = [lstatSync(upperOf('')), lstatSync(asBytes(on))];
  lent.take(upperOf(''), now);
  lent.take(asBytes(on), before);
  const lower = openRootFolder(overlay.on);
  using _ = defer(() => closeSync(lower));
  await walk('', lower, 0, false);
  if ((now.mode & 0o7777) !== (before.mode & 0o7777))
    steps.push({ do: 'mode', path: '', mode: now.mode & folderModeBits });
  // The mark of an unprivileged layer does not tell the source of a copy.
  for (const copy of copies)
    if (copy.now.isDirectory() || !sources.has(likenessOf(copy.now))) tell(revived, copy.path);
  return steps;
}

function timesOf(path: string, { atimeMs, mtimeMs }: Stats): Step {
  return { do: 'times', path, accessed: atimeMs / 1000, modified: mtimeMs / 1000 };
}

/** A copy has the size and time of its source until it is written. */
function likenessOf({ size, mtimeMs }: Stats): string {
  return `${size}:${mtimeMs}`;
}

/** Each check costs some microseconds. */
const mostAsked = 2000;
