import type { Stats } from 'node:fs';
import { type Text, text } from '../../contract/text/text.ts';
import { isInside } from '../../ground/inside.ts';
import { systemFolders } from '../sandbox/system-paths.ts';
import type { MetLink } from './follow.ts';
import type { Prove, Verdict } from './prove.ts';

/** A folder or file that commands may read, proven to be outside their writable folders. */
export interface ToolFolder {
  /** The resolved path. */
  readonly real: string;
  readonly identity: Pick<Stats, 'dev' | 'ino'>;
  /** Patterns of hidden names below it. */
  readonly secrets: readonly string[];
}

export interface LeftOut {
  readonly path: string;
  readonly because: Text;
}

export type Collection = ReturnType<typeof createCollection>;

/** Gathers the person's programs, each folder once. */
export function createCollection(prove: Prove) {
  const folders: ToolFolder[] = [];
  const leftOut = new Map<string, Text>();
  const links = new Map<string, string>();
  const isShown = (real: string) => folders.some((folder) => isInside(real, folder.real));

  return {
    prove,
    isShown,
    // A folder found before the one that contains it needs no mount of its own.
    get folders(): readonly ToolFolder[] {
      return folders.filter(
        ({ real }) => !folders.some((other) => other.real !== real && isInside(real, other.real)),
      );
    },
    leaveOut: (path: string, because: Text): void => void leftOut.set(path, because),
    /** Adds the visible part of a path, and returns the path's verdict. */
    take(path: string, secrets: readonly string[] = []): Verdict {
      const verdict = prove(path);
      if (verdict.kind === 'refused') leftOut.set(path, verdict.because);
      if (verdict.kind !== 'outside') return verdict;
      for (const { at, to } of verdict.links) links.set(at, to);
      if (isShown(verdict.real)) return verdict;
      if (folders.length >= mostFolders) {
        leftOut.set(path, tooMany);
        return { kind: 'refused', because: tooMany };
      }
      const { dev, ino } = verdict.stat;
      folders.push({ real: verdict.real, identity: { dev, ino }, secrets });
      return verdict;
    },
    get leftOut(): readonly LeftOut[] {
      return [...leftOut].map(([path, because]) => ({ path, because }));
    },
    /** Links outside the shown folders through which these are reached. */
    links: (): readonly MetLink[] =>
      [...links].flatMap(([at, to]) =>
        isShown(at) || ownPlaces.some((folder) => isInside(at, folder)) ? [] : [{ at, to }],
      ),
  };
}

/** Each is a mount, which slows every command. */
const mostFolders = 48;
const tooMany = text('too many other folders are shown', '見せるフォルダーが多すぎます');
/** Links there exist already, or belong to the sandbox's own file systems. */
const ownPlaces = [...systemFolders, '/tmp', '/proc', '/dev', '/etc'];
