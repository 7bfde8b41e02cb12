import { chmodSync, lstatSync, rmSync, type Stats } from 'node:fs';
import { relative } from 'node:path';
import type { LandingKeeper, LandingSide } from '../../contract/capabilities/landing.ts';
import { Lent } from '../../files/lent.ts';
import { itself } from '../../files/walk.ts';
import { asBytes, fromText, toText } from '../../ground/machine/byte-paths.ts';
import { namesIn, sideOf, signatureOf } from './entries.ts';
import { findMetRefs, gitFolderOf, type MetRef, type MetRefs } from './git-refs.ts';
import { isDatabase } from './in-use.ts';
import type { Marks } from './marks.ts';
import { type Overlay, rootOf } from './overlay.ts';
import { fileModeBits, folderModeBits, type Step } from './plan.ts';
import { throwAway } from './trash.ts';
import { createPause, deepest, type Entry, isWhiteout, Level } from './walk.ts';

export interface LandOptions {
  /** Host paths; reported paths are relative to the innermost root. */
  readonly roots: readonly string[];
  /** When the command began, in milliseconds: later changes below the layer are by others. */
  readonly beganAtMs: number;
  /** Must a command leave this host path unchanged, whether it exists or not? */
  readonly isProtected: (hostPath: string, isThere: boolean) => boolean;
  /** May the landing be dropped, as the command can run again? Asked if it would harm others; undefined: no. */
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
 * the command has ended.
 */
export async function makePlan(
  overlay: Overlay,
  options: LandOptions,
  marks: Marks,
  told: Told,
): Promise<readonly Step[]> {
  using lent = new Lent();
  return await new Planner(overlay, options, marks, told, lent).plan();
}

class Planner {
  readonly #overlay: Overlay;
  readonly #options: LandOptions;
  readonly #marks: Marks;
  readonly #told: Told;
  readonly #lent: Lent;
  readonly #on: string;
  readonly #top: string;
  readonly #pause = createPause();
  readonly #steps: Step[] = [];
  /** Files below that the layer hides or changed: possible sources of a copy on it. */
  readonly #sources = new Set<string>();
  readonly #copies: { readonly path: string; readonly now: Stats }[] = [];
  /** By git's folder: what stays there as another git has it. */
  readonly #met = new Map<string, MetRefs>();

  constructor(overlay: Overlay, options: LandOptions, marks: Marks, told: Told, lent: Lent) {
    this.#overlay = overlay;
    this.#options = options;
    this.#marks = marks;
    this.#told = told;
    this.#lent = lent;
    this.#on = fromText(overlay.on);
    this.#top = fromText(overlay.upper);
  }

  async plan(): Promise<readonly Step[]> {
    const [now, before] = [lstatSync(this.#upperOf('')), lstatSync(this.#overlay.on)];
    using top = Level.open(this.#overlay, this.#marks, this.#lent);
    await this.#walk(top);
    if ((now.mode & 0o7777) !== (before.mode & 0o7777))
      this.#steps.push({ do: 'mode', path: '', mode: now.mode & folderModeBits });
    // The mark of an unprivileged layer does not tell the source of a copy.
    for (const copy of this.#copies)
      if (copy.now.isDirectory() || !this.#sources.has(likenessOf(copy.now)))
        this.#tell(this.#told.revived, copy.path);
    return this.#steps;
  }

  async #walk(level: Level): Promise<void> {
    for (const entry of level.entries()) {
      await this.#pause();
      const { path, name, now, before } = entry;
      if (now) this.#sawName(path, name, now);
      const isMerged = now?.isDirectory() === true && before?.isDirectory() === true;
      const isKept = () => this.#options.isProtected(this.#hostOf(path), before !== undefined);
      if (entry.isCovered) await this.#removeCovered(level, entry, isKept);
      else if (level.depth >= deepest) this.#refuse(path);
      else if (isMerged) await this.#walkFolder(level, entry, now, before);
      else if (isKept()) this.#refuse(path);
      else if (this.#isLeftToGit(path)) continue;
      else if (!now) await this.#remove(level, entry);
      else if (!now.isDirectory() && !now.isFile() && !now.isSymbolicLink()) this.#refuse(path);
      else await this.#move(level, entry, now);
    }
  }

  /** Plans a folder of the layer that lies over an existing one. */
  async #walkFolder(level: Level, entry: Entry, now: Stats, before: Stats): Promise<void> {
    const { path } = entry;
    using inner = level.inside(entry);
    if (inner.lower !== undefined && gitFolderOf(path) === path) this.#meetRefs(path, inner.lower);
    // A folder that the command made covers too: others may have made one of that name since.
    if (inner.covers && !this.#isNew(before) && !this.#holdsProtected(path, inner))
      return await this.#move(level, entry, now, inner);
    const had = this.#steps.length;
    await this.#walk(inner);
    const [upper, lower] = [asBytes(entry.upper), asBytes(entry.lower)];
    if (this.#marks.attributes(upper) !== this.#marks.attributes(lower))
      this.#steps.push({ do: 'attributes', path });
    const isOtherMode = (before.mode & 0o7777) !== (now.mode & 0o7777) && !this.#options.isRest;
    if (this.#steps.length > had || isOtherMode || now.mtimeMs !== before.mtimeMs)
      this.#steps.push(timesOf(path, now));
    // Last: the folder may be closed to its own user from then on.
    if (isOtherMode) {
      await this.#note(path, sideOf(before, entry.lower), this.#upperSide(path, now));
      this.#steps.push({ do: 'mode', path, mode: now.mode & folderModeBits });
    }
  }

  #holdsProtected(path: string, { lower }: Level): boolean {
    const names = lower === undefined ? [] : namesIn(itself(lower));
    return [path, ...names.map((name) => `${path}/${name}`)].some((each) =>
      this.#options.isProtected(this.#hostOf(each), true),
    );
  }

  /** Removes what the layer covers, unless others made it meanwhile. */
  async #removeCovered(level: Level, entry: Entry, isKept: () => boolean): Promise<void> {
    if (this.#isLeftToGit(entry.path)) return;
    if (isKept()) this.#tell(this.#told.refused, entry.path);
    else if (entry.before && !this.#isNew(entry.before)) await this.#remove(level, entry);
  }

  async #remove(level: Level, entry: Entry): Promise<void> {
    const { path, before } = entry;
    if (!before) return;
    this.#look(path, before);
    this.#steps.push({ do: 'remove', path, was: signatureOf(before) });
    await this.#noteAll(level, { ...entry, now: undefined });
  }

  /** `inner`: the opened folder, if the entry is one on both sides. */
  async #move(level: Level, entry: Entry, now: Stats, inner?: Level): Promise<void> {
    const { path, before } = entry;
    if (before) this.#look(path, before);
    else if (this.#isCopied(entry, now) && this.#isNew(lstatSync(`${itself(level.lower ?? -1)}/.`)))
      this.#copies.push({ path, now });
    await this.#makeFit(path, now, true, path.split('/').length);
    if (!this.#isLeftOut(path, now)) await this.#noteAll(level, entry, inner);
    this.#steps.push({ do: 'move', path, ...(before && { was: signatureOf(before) }) });
    const mode = now.mode & folderModeBits;
    if (now.isDirectory() && (mode & 0o700) !== 0o700) this.#steps.push({ do: 'mode', path, mode });
  }

  /**
   * Makes a moved entry fit to land, down to its last one: one stat for each, and more only if it needs mending.
   * `mayBeMarked` comes from the folder above.
   */
  async #makeFit(path: string, now: Stats, mayBeMarked: boolean, depth: number): Promise<void> {
    if (now.isSymbolicLink()) return;
    const host = this.#upperOf(path);
    if (!now.isDirectory()) {
      if (isUnfit(now)) chmodSync(host, now.mode & fileModeBits);
      if (mayBeMarked) this.#marks.remove(host);
      return;
    }
    const holdsMarked = this.#marks.read(host, 'user.overlay.impure') !== undefined;
    this.#marks.remove(host);
    if ((now.mode & 0o700) !== 0o700) chmodSync(host, (now.mode & folderModeBits) | 0o700);
    else if ((now.mode & 0o7777 & ~folderModeBits) !== 0) chmodSync(host, now.mode & folderModeBits);
    for (const name of namesIn(host)) {
      const inner = `${path}/${name}`;
      const entry = this.#upperOf(inner);
      const stat = lstatSync(entry);
      const pausing = this.#pause();
      if (pausing) await pausing;
      this.#sawName(inner, name, stat);
      const isFolder = stat.isDirectory();
      const mayLand = isFolder || stat.isFile() || stat.isSymbolicLink();
      if (isWhiteout(stat)) rmSync(entry);
      else if (!mayLand || depth >= deepest || this.#options.isProtected(this.#hostOf(inner), false))
        this.#refuse(inner);
      // Most entries are files that need no mending, and there may be very many.
      else if (isFolder || holdsMarked || isUnfit(stat)) {
        await this.#makeFit(inner, stat, holdsMarked, depth + 1);
        // Restore the folder's own mode; only the outermost folder gets it when it lands.
        if (isFolder && (stat.mode & 0o700) !== 0o700) chmodSync(entry, stat.mode & folderModeBits);
      }
    }
  }

  /** Notes an entry and all that it holds on either side; the content of a folder that goes before the folder. */
  async #noteAll(level: Level, entry: Entry, opened?: Level): Promise<void> {
    if (!this.#options.keeper && !entry.before) return;
    await this.#pause();
    const { path, name, now, before } = entry;
    this.#lent.take(asBytes(entry.upper), now);
    const note = () =>
      this.#note(path, before && sideOf(before, entry.lower), now && this.#upperSide(path, now));
    if (now?.isDirectory()) await note();
    if ((now?.isDirectory() || before?.isDirectory()) && !this.#leavesOut(name)) {
      if (opened) await this.#noteInside(opened);
      else {
        using inner = level.inside(entry);
        await this.#noteInside(inner);
      }
    }
    if (!now?.isDirectory()) await note();
  }

  async #noteInside(level: Level): Promise<void> {
    for (const entry of level.entries()) {
      if (entry.before) this.#look(entry.path, entry.before);
      await this.#noteAll(level, entry);
    }
  }

  async #note(path: string, before: LandingSide | undefined, after: LandingSide | undefined): Promise<void> {
    const found = this.#options.keeper && this.#place(path);
    if (found && found.path !== '') await this.#options.keeper?.note({ ...found, before, after });
  }

  #upperSide(path: string, stat: Stats): LandingSide {
    const mask = stat.isDirectory() ? folderModeBits : stat.isSymbolicLink() ? 0o777 : fileModeBits;
    return { ...sideOf(stat, `${this.#top}/${path}`), mode: stat.mode & mask };
  }

  /** Notes an entry that is replaced or removed, and whether others changed it. */
  #look(path: string, before: Stats): void {
    const { replaced, databases, conflicts } = this.#told;
    if (before.isFile()) {
      this.#sources.add(likenessOf(before));
      if (replaced.length < mostAsked) replaced.push(`${this.#on}/${path}`);
      if (isDatabase(path)) databases.push({ path: toText(path), stat: before });
    }
    if (!before.isDirectory() && this.#isNew(before)) this.#tell(conflicts, path);
  }

  #refuse(path: string): void {
    this.#tell(this.#told.refused, path);
    throwAway(this.#upperOf(path), this.#options.trash);
  }

  #tell(told: string[], path: string): void {
    const found = this.#place(path);
    if (found) told.push(found.path);
  }

  #place(path: string): { readonly root: string; readonly path: string } | undefined {
    const hostPath = this.#hostOf(path);
    const root = rootOf(hostPath, this.#options.roots);
    // Folders outside the roots that are kept for commands contain no user files.
    return root === undefined ? undefined : { root, path: relative(root, hostPath) };
  }

  #upperOf(path: string): Buffer {
    return asBytes(path === '' ? this.#top : `${this.#top}/${path}`);
  }

  #hostOf(path: string): string {
    return toText(`${this.#on}/${path}`);
  }

  /** Changed by others while the command ran. */
  #isNew({ ctimeMs }: Stats): boolean {
    return ctimeMs >= this.#options.beganAtMs;
  }

  /** The file existed below when the command changed it, at this path or at the one that it was moved from. */
  #isCopied({ upper }: Entry, now: Stats): boolean {
    if (!now.isFile() && !now.isDirectory()) return false;
    return this.#marks.read(asBytes(upper), 'user.overlay.origin') !== undefined;
  }

  #leavesOut(name: string): boolean {
    return this.#options.keeper?.leavesOut(toText(name)) ?? false;
  }

  /** Is it such a folder, or in one? The files of an installation are not reported one by one. */
  #isLeftOut(path: string, now: Stats): boolean {
    const names = path.split('/');
    return names.some((name, at) => this.#leavesOut(name) && (now.isDirectory() || at < names.length - 1));
  }

  /** Finds the refs in one of git's folders that another git moved. */
  #meetRefs(path: string, below: number): void {
    const found = findMetRefs(`${this.#top}/${path}`, itself(below), this.#options.beganAtMs);
    if (!found) return;
    this.#met.set(path, found);
    for (const { path: ref, commit } of found.refs) {
      const shown = this.#place(`${path}/${ref}`);
      if (shown) this.#told.metRefs.push({ path: shown.path, commit });
    }
  }

  #isLeftToGit(path: string): boolean {
    const folder = this.#met.size === 0 ? undefined : gitFolderOf(path);
    return folder !== undefined && this.#met.get(folder)?.leaves(path.slice(folder.length + 1)) === true;
  }

  #sawName(path: string, name: string, stat: Stats): void {
    if (isWhiteout(stat) || !(name === 'HEAD' || /^\.git$/i.test(name))) return;
    this.#options.onGitName?.(`${this.#on}/${path}`, stat.isDirectory());
  }
}

/** Has it rights that a file must not land with? */
function isUnfit({ mode }: Stats): boolean {
  return (mode & 0o7777 & ~fileModeBits) !== 0;
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
