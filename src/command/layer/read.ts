import { readlinkSync, type Stats } from 'node:fs';
import { join, relative } from 'node:path';
import type { DryRun, DryRunChange } from '../../contract/capabilities/dry-run.ts';
import { limits } from '../../contract/limits.ts';
import { Lent } from '../../files/lent.ts';
import { kindOf } from '../../files/reading.ts';
import { generatedFolders } from '../../ground/generated-folders.ts';
import { isInside } from '../../ground/inside.ts';
import { asBytes, toText } from '../../ground/machine/byte-paths.ts';
import { createDiff, type Diff, hasSameContent } from './diff.ts';
import { isGits } from './git-refs.ts';
import type { Marks } from './marks.ts';
import { type Overlay, rootOf } from './overlay.ts';
import { createPause, deepest, type Entry, Level } from './walk.ts';

/** Reads a command's changes from its layers. It has ended. The cost grows with the changes, not with the folder. */
export async function readLayers(
  overlays: readonly Overlay[],
  roots: readonly string[],
  marks: Marks,
  withDiff: boolean,
): Promise<Omit<DryRun, 'losses'>> {
  const reading = new Reading(withDiff);
  for (const overlay of overlays) {
    // Folders outside the roots that are kept for commands contain no user files.
    if (roots.some((root) => isInside(overlay.on, root) || isInside(root, overlay.on)))
      await reading.read(overlay, roots, marks);
  }
  return reading.result();
}

type Told = Omit<DryRunChange, 'root' | 'path'>;

class Reading {
  readonly #changes: DryRunChange[] = [];
  readonly #diff: Diff;
  readonly #pause = createPause();
  #total = 0;
  #place: (path: string) => Pick<DryRunChange, 'root' | 'path'> = (path) => ({ root: '', path });

  constructor(withDiff: boolean) {
    this.#diff = withDiff ? createDiff(limits.dryRunDiffBytes) : noDiff;
  }

  async read(overlay: Overlay, roots: readonly string[], marks: Marks): Promise<void> {
    this.#place = (path) => {
      const hostPath = join(overlay.on, toText(path));
      const root = rootOf(hostPath, roots) ?? overlay.on;
      return { root, path: relative(root, hostPath) };
    };
    using lent = new Lent();
    using top = Level.open(overlay, marks, lent);
    await this.#walk(top, lent);
  }

  result(): Omit<DryRun, 'losses'> {
    const changes = this.#changes.toSorted(byRank).slice(0, limits.dryRunChanges);
    return { changes, total: this.#total, diff: this.#diff.text(), isDiffCut: this.#diff.isCut() };
  }

  #tell(path: string, change: Told): void {
    this.#total += 1;
    // A deletion is reported even beyond the limit for other changes.
    if (this.#changes.length >= limits.dryRunChanges && change.change !== 'deleted') return;
    this.#changes.push({ ...this.#place(path), ...change });
  }

  /** Returns the number of entries. */
  async #walk(level: Level, lent: Lent): Promise<number> {
    let entries = 0;
    for (const entry of level.entries()) {
      await this.#pause();
      entries += 1;
      const { now, before } = entry;
      lent.take(asBytes(entry.upper), now);
      const isFolder = now?.isDirectory() === true;
      const isOther = before !== undefined && before.isDirectory() !== isFolder;
      if (before && (!now || isOther)) await this.#tellDeleted(level, entry, before);
      if (isFolder) await this.#readFolder(level, entry, lent);
      else if (now) await this.#tellFile(entry, now, isOther ? undefined : before);
    }
    return entries;
  }

  async #readFolder(level: Level, entry: Entry, lent: Lent): Promise<void> {
    const { path, now, before } = entry;
    let entries = 0;
    // The result must say that there is more, since decisions depend on it.
    if (level.depth >= deepest) this.#total += 1;
    else {
      using inner = level.inside(entry);
      entries = await this.#walk(inner, lent);
    }
    // A new folder shows by its content; only an empty one is reported.
    if (!before?.isDirectory()) {
      if (entries === 0) this.#tell(path, { change: 'created', kind: 'folder' });
      return;
    }
    const mode = otherMode(before, now);
    if (mode) this.#tell(path, { change: 'changed', kind: 'folder', ...mode });
  }

  async #tellFile({ path, upper, lower }: Entry, now: Stats, before: Stats | undefined): Promise<void> {
    const change = before ? 'changed' : 'created';
    const kind = kindOf(now);
    const isSameKind = before !== undefined && kindOf(before) === kind;
    const [former, latter] = [asBytes(lower), asBytes(upper)];
    if (kind !== 'file') {
      const isSameLink =
        isSameKind &&
        kind === 'symlink' &&
        readlinkSync(former, 'buffer').equals(readlinkSync(latter, 'buffer'));
      // A link that was touched but is unchanged is not reported.
      if (!isSameLink) this.#tell(path, { change, kind });
      return;
    }
    const mode = isSameKind ? otherMode(before, now) : undefined;
    const isSame = isSameKind && before.size === now.size && (await hasSameContent(former, latter, now.size));
    if (isSame && !mode) return;
    const lines = isSame
      ? undefined
      : await this.#diff.add(toText(path), isSameKind ? former : undefined, latter);
    this.#tell(path, { change, kind, bytes: now.size, ...mode, ...(lines && { lines }) });
  }

  async #tellDeleted(level: Level, entry: Entry, before: Stats): Promise<void> {
    const { path, lower } = entry;
    const kind = kindOf(before);
    if (kind === 'folder') {
      const names: string[] = [];
      const files = await this.#countFiles(level, entry, names, true);
      const shown = names.map((each) => relative(toText(path), each));
      return this.#tell(path, { change: 'deleted', kind, files, names: shown });
    }
    if (kind !== 'file') return this.#tell(path, { change: 'deleted', kind });
    const lines = await this.#diff.add(toText(path), asBytes(lower), undefined);
    this.#tell(path, { change: 'deleted', kind, bytes: before.size, ...(lines && { lines }) });
  }

  /** Counts the files of a deleted folder. Names the first of them, and shows those that were written by hand. */
  async #countFiles(level: Level, folder: Entry, names: string[], isShownAbove: boolean): Promise<number> {
    const isShown = isShownAbove && !generatedFolders.has(folder.name) && folder.name !== '.git';
    let count = 0;
    using inner = level.inside({ ...folder, now: undefined });
    for (const entry of inner.entries()) {
      await this.#pause();
      const { path, before, lower } = entry;
      if (before?.isDirectory() && inner.depth < deepest) {
        count += await this.#countFiles(inner, entry, names, isShown);
        continue;
      }
      count += 1;
      if (names.length < mostNamed) names.push(toText(path));
      if (before?.isFile() && isShown && !this.#diff.isCut())
        await this.#diff.add(toText(path), asBytes(lower), undefined);
    }
    return count;
  }
}

/** Undefined if it is the same. */
function otherMode(before: Stats, now: Stats | undefined): { readonly mode: string } | undefined {
  const [was, is] = [before, now ?? before].map(({ mode }) => (mode & 0o7777).toString(8).padStart(3, '0'));
  return was === is ? undefined : { mode: `${was} → ${is}` };
}

/** Puts deletions first, and git's own files last. */
export function byRank(a: DryRunChange, b: DryRunChange): number {
  const rank = ({ change, path }: DryRunChange) => (change === 'deleted' ? 0 : isGits(path) ? 2 : 1);
  return rank(a) - rank(b) || (a.path < b.path ? -1 : 1);
}

/** A judgement needs no changed lines. */
const noDiff: Diff = { add: async () => undefined, text: () => '', isCut: () => false };
/** Names per deleted folder. */
const mostNamed = 100;
