import { copyFileSync, lstatSync, readlinkSync, rmSync, type Stats, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isBelow } from '../../ground/inside.ts';
import { asBytes, fromText } from '../../ground/machine/byte-paths.ts';
import { orElse } from '../../ground/or-else.ts';
import { commonFolderOf, gitFolderOf } from '../layer/losses/repository.ts';
import { createGate, type Entry, type Gate, type GateOptions } from '../layer/obeyed/gate.ts';
import { fetchedIn, idsIn, isRefFile, tipsOf } from '../layer/obeyed/refs.ts';
import { createPause } from '../layer/walk.ts';
import { type Former, keptFolder, readFormers } from './journal.ts';
import { putBack } from './put-back.ts';

/** Content at a path that something obeys, or about to be written there. Paths are bytes, one per character. */
export interface Content {
  readonly path: string;
  /** Host path of the content; undefined if it is not written yet. */
  readonly at?: string | undefined;
}

/** The verdict on new contents, as host paths. A content in neither list is allowed. */
export interface Entering {
  readonly never: readonly string[];
  readonly asked: readonly string[];
  /** Others committed content at each of their paths, so the content is judged once it is written. */
  readonly isJudgedLater: boolean;
}

export interface EnteringOptions extends Pick<GateOptions, 'makers' | 'isObeyed' | 'isProtected'> {
  /** The folder of the command's recording. */
  readonly folder: string;
  readonly roots: readonly string[];
  /** Did the command only fetch from a remote, and reach it? */
  readonly isFetched: () => boolean;
}

/** Judges the content that a command brings to obeyed paths while it runs on the folders themselves. */
export class EntryJudge {
  readonly #options: EnteringOptions;
  /** Bytes, the innermost first. */
  readonly #tops: readonly string[];

  constructor(options: EnteringOptions) {
    this.#options = options;
    this.#tops = options.roots.map(fromText).toSorted((a, b) => b.length - a.length);
  }

  async judge(contents: readonly Content[], newFolder?: string): Promise<Entering> {
    const formers = readFormers(this.#options.folder);
    const gateOf = this.#openGates();
    this.#note(formers, gateOf);
    const never: string[] = [];
    const asked: string[] = [];
    let isJudgedLater = false;
    for (const { path, at } of contents) {
      const top = this.#topOf(path);
      if (top === undefined) continue;
      const below = path.slice(top.length + 1);
      const isBarred = this.#options.isProtected(below);
      if (!isBarred && this.#isApart(top, below, formers, newFolder)) continue;
      const gate = gateOf(top);
      let entry: Entry = isBarred ? 'never' : 'asked';
      if (at !== undefined) {
        const stat = statOf(at);
        // The command removed it again.
        if (!stat) continue;
        const before = formers.get(path);
        const former = before ? fromText(before.kept ?? '/dev/null') : path;
        entry = await gate.mayEnter(below, below, { at, stat, former });
      } else if (await gate.hasOthers(below)) {
        isJudgedLater = true;
        continue;
      }
      if (entry === 'never') never.push(path);
      if (entry === 'asked') asked.push(path);
    }
    return { never, asked, isJudgedLater };
  }

  /** Restores the former entry. `at`: the path of the new one until it is brought in again. */
  takeOut(path: string): { readonly path: string; readonly at?: string; bringIn(): void } {
    const { folder, roots } = this.#options;
    const now = statOf(path);
    if (!now) return { path, bringIn() {} };
    const { mode, size: bytes, mtimeMs, ino: number, uid: user, gid: group } = now;
    const kept = join(folder, keptFolder, `out-${number}`);
    const kind = now.isSymbolicLink() ? 'symlink' : 'file';
    const own: Former = { path, kind, mode: mode & 0o7777, bytes, mtimeMs, number, user, group, kept };
    rmSync(kept, { force: true });
    if (kind === 'symlink') symlinkSync(readlinkSync(asBytes(path), 'buffer'), kept);
    else copyFileSync(asBytes(path), kept);
    putBack([readFormers(folder).get(path) ?? { ...own, kind: 'absent' }], roots);
    return { path, at: fromText(kept), bringIn: () => putBack([own], roots) };
  }

  noteMakers(): void {
    this.#note(readFormers(this.#options.folder), this.#openGates());
  }

  /** Notes the commits that the command made so far, and the content that it removed from obeyed paths. */
  #note(formers: ReadonlyMap<string, Former>, gateOf: (top: string) => Gate): void {
    const { makers, isObeyed, isProtected, isFetched } = this.#options;
    const refs = [...formers.values()].filter(({ path }) => path.includes('/.git/') && isRefFile(path));
    for (const [git, own] of Map.groupBy(refs, ({ path }) => /^.*?\/\.git(?=\/)/.exec(path)?.[0] ?? '')) {
      const common = commonFolderOf(gitFolderOf(git));
      const before = own.flatMap(({ kept }) => (kept === undefined ? [] : idsIn(fromText(kept))));
      const known = tipsOf(common, new Set(own.map(({ path }) => path)));
      const fetched = isFetched() ? fetchedIn(common) : [];
      const now = own.flatMap(({ path }) => idsIn(path));
      makers.changed(before, now, new Set([...known, ...fetched]));
    }
    for (const { path, kept } of formers.values()) {
      const top = this.#topOf(path);
      const below = top === undefined ? '' : path.slice(top.length + 1);
      if (top === undefined || kept === undefined || !(isObeyed(below) || isProtected(below))) continue;
      gateOf(top).leaves(below, lstatSync(kept), fromText(kept));
    }
  }

  #openGates(): (top: string) => Gate {
    const { makers, isObeyed, isProtected } = this.#options;
    const gates = new Map<string, Gate>();
    const pause = createPause();
    return (top) => {
      const open = () => createGate({ makers, isObeyed, isProtected, on: top, isFetched: false, pause });
      const gate = gates.get(top) ?? open();
      gates.set(top, gate);
      return gate;
    };
  }

  /** Is it in a folder that the command made, in which nothing looks for such files yet? */
  #isApart(top: string, below: string, formers: ReadonlyMap<string, Former>, newFolder?: string): boolean {
    const names = below.split('/');
    const above = names.slice(0, -1).map((_, at) => names.slice(0, at + 1).join('/'));
    const made = above.find((each) => {
      const host = `${top}/${each}`;
      return host === newFolder || formers.get(host)?.kind === 'absent';
    });
    return made !== undefined && !/(^|\/)\.[^/]*$/.test(made) && !this.#options.isObeyed(made);
  }

  #topOf(path: string): string | undefined {
    return this.#tops.find((top) => isBelow(path, top));
  }
}

/** Of one of our descriptors: the stat of its open file. */
function statOf(path: string): Stats | undefined {
  return orElse(
    () =>
      path.startsWith('/proc/self/fd/')
        ? statSync(path)
        : lstatSync(asBytes(path), { throwIfNoEntry: false }),
    undefined,
  );
}
