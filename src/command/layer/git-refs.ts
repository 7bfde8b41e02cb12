import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { asBytes } from '../../ground/machine/byte-paths.ts';
import { namesIn, statAt } from './entries.ts';
import { readBounded } from './losses/read-bounded.ts';
import { idsIn } from './obeyed/refs.ts';
import type { Step } from './plan.ts';
import { isWhiteout } from './walk.ts';

/*
 * Two gits at once write the same refs. Git itself compares a ref with what it read before it replaces it
 * (git-update-ref(1)); a landing does the same, so no commit loses its branch. Paths are bytes, one per character.
 */

/** A ref that another git moved while a command ran, and that the landing therefore leaves. */
export interface MetRef {
  readonly path: string;
  /** The command's own value of it; undefined if that is no commit. */
  readonly commit: string | undefined;
}

/** The part of one of git's own folders that a landing leaves, because another git moved refs in it. */
export interface MetRefs {
  readonly refs: readonly MetRef[];
  /** Does it leave this entry, relative to git's folder, as the other git has it? */
  leaves(path: string): boolean;
}

/** Git's own folder that a path lies in. */
export function gitFolderOf(path: string): string | undefined {
  // Most paths of a landing are not in git's folder.
  if (!path.includes('.git')) return undefined;
  return /^(?:.*\/)?\.git(?:\/modules\/[^/]+)*(?=\/|$)/.exec(path)?.[0];
}

/** Is it git's own folder, or in it? A second git must build on the result of the first, which a layer hides from it. */
export function isGits(path: string): boolean {
  return gitFolderOf(path) !== undefined;
}

export function isRef(path: string): boolean {
  const folder = gitFolderOf(path);
  return folder !== undefined && isRefIn(path.slice(folder.length + 1));
}

function isRefIn(path: string): boolean {
  return /^(worktrees\/[^/]+\/)?(HEAD|packed-refs|refs\/.+)$/.test(path);
}

/**
 * Finds the refs in git's folder that a command wrote on the layer (`upper`) and that changed below it (`lower`) since
 * the command began. If the branch in use is among them, index and logs are left too: they belong to its commit.
 */
export function findMetRefs(upper: string, lower: string, beganAtMs: number): MetRefs | undefined {
  const refs: MetRef[] = [];
  for (const path of refsBelow(upper, '')) {
    const now = statAt(`${lower}/${path}`);
    if (!now || now.isDirectory() || now.ctimeMs < beganAtMs) continue;
    refs.push({ path, commit: path === 'packed-refs' ? undefined : idsIn(`${upper}/${path}`)[0] });
  }
  if (refs.length === 0) return undefined;
  const met = new Set(refs.map(({ path }) => path));
  const current = /^ref: (.+?)\s*$/.exec(readBounded(`${lower}/HEAD`, 4096)?.toString('latin1') ?? '')?.[1];
  const isCurrent = met.has('HEAD') || (current !== undefined && met.has(current));
  return {
    refs,
    leaves(path) {
      if (/^(objects|modules)(\/|$)/.test(path)) return false;
      const ref = path.replace(/^logs\//, '');
      if (ref !== 'HEAD' && isRefIn(ref))
        // The other git may have packed what this one removed, so that a removal would lose it.
        return met.has(ref) || (met.has('packed-refs') && isRemoved(`${upper}/${path}`));
      return isCurrent && !statAt(`${lower}/${path}`)?.isDirectory();
    },
  };
}

function isRemoved(path: string): boolean {
  const now = statAt(path);
  return now !== undefined && isWhiteout(now);
}

function* refsBelow(upper: string, folder: string): Generator<string> {
  for (const name of namesIfThere(folder === '' ? upper : `${upper}/${folder}`)) {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (statAt(`${upper}/${path}`)?.isDirectory()) {
      if (/^(refs|worktrees)(\/|$)/.test(path)) yield* refsBelow(upper, path);
    } else if (isRefIn(path)) yield path;
  }
}

function namesIfThere(path: string): readonly string[] {
  try {
    return namesIn(asBytes(path));
  } catch (error) {
    if (errnoCode(error) === 'ENOENT' || errnoCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** Puts objects before the refs that name them, and refs before everything else. */
export function inGitOrder(steps: readonly Step[]): readonly Step[] {
  const objects: Step[] = [];
  const refs: Step[] = [];
  const rest: Step[] = [];
  for (const step of steps) {
    const folder = gitFolderOf(step.path);
    const inner = folder === undefined ? '' : step.path.slice(folder.length + 1);
    const isRefs = /^(HEAD|packed-refs|refs(\/|$))/.test(inner);
    (/^objects(\/|$)/.test(inner) ? objects : isRefs ? refs : rest).push(step);
  }
  return [...objects, ...refs, ...rest];
}

/** Holds a ref as git does, by the file `.lock` beside it. Undefined if another git keeps it longer than `waitMs`. */
export async function holdRef(ref: string, waitMs: number): Promise<(() => void) | undefined> {
  const lock = asBytes(`${ref}.lock`);
  for (let left = waitMs; ; left -= pauseMs) {
    try {
      const fd = openSync(lock, 'wx', 0o666);
      writeSync(fd, ours);
      closeSync(fd);
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if (errnoCode(error) !== 'EEXIST') throw error;
      if (left <= 0) return undefined;
      await sleep(pauseMs);
    }
  }
}

/** Removes the lock that a killed server left at a ref. */
export function dropLeftLock(ref: string): void {
  const lock = asBytes(`${ref}.lock`);
  try {
    if (readFileSync(lock, 'latin1') === ours) rmSync(lock, { force: true });
  } catch (error) {
    if (errnoCode(error) !== 'ENOENT' && errnoCode(error) !== 'ENOTDIR') throw error;
  }
}

const ours = 'held by sekisho while it lands\n';
const pauseMs = 20;
