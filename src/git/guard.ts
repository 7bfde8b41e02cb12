import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RemoteChanges } from '../contract/capabilities/judgement.ts';
import { isInside } from '../ground/inside.ts';
import { asBytes, fromText } from '../ground/machine/byte-paths.ts';
import { orElse } from '../ground/or-else.ts';
import { takeOwnConfig } from './copied-config.ts';
import { type Found, findRepositories, innerFolders } from './find-repositories.ts';
import { inHeldFolder } from './held-folder.ts';
import { judgePart, type Part, partsOf } from './parts.ts';
import { type Disarmed, setAside } from './set-aside.ts';

interface Running {
  readonly sinceMs: number;
  readonly held: readonly string[];
  readonly agreed: RemoteChanges | undefined;
}

/** Removes from git's reach what a command wrote there. */
export interface Watch {
  /** With `left`, only searches for repositories among these paths. */
  look(left?: Found): Promise<readonly Disarmed[]>;
  /** The last look, after the command has ended. */
  end(left?: Found): Promise<readonly Disarmed[]>;
}

/**
 * Keeps the repositories below the roots from running what a command planted. Commands may write most of `.git`, and
 * make repositories; anything they leave there that git would run, or that leads git elsewhere, is undone. What existed
 * before any command ran is a person's and stays.
 */
export function createGitGuard(roots: () => readonly string[]) {
  const trusted = new Map<string, ReadonlyMap<string, Part>>();
  const pointers = new Map<string, string>();
  const running = new Set<Running>();
  const walked = new Set<string>();
  let turn: Promise<unknown> = Promise.resolve();

  /** One look at a time: otherwise a command's writes during another's starting look would be taken for a person's. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work, work);
    // The requester gets a failure; the next one only waits its turn.
    turn = done.catch(() => undefined);
    return done;
  }

  /** `sinceMs` is the start of the oldest running command; without one, everything there was written by people. */
  function judge(folder: string, sinceMs: number | undefined, found: Found): Disarmed[] {
    const inside = roots().map(fromText);
    const isInRoots = (path: string | undefined): path is string =>
      path !== undefined && inside.some((root) => isInside(path, root));
    // A path that every running command had read-only was written by a person.
    const isHeld = (path: string) =>
      running.size > 0 && [...running].every(({ held }) => held.some((each) => isInside(path, each)));
    const agreed = {
      remotes: [...running].flatMap((each) => each.agreed?.remotes ?? []),
      addresses: [...running].flatMap((each) => each.agreed?.addresses ?? []),
    };
    const disarmed: Disarmed[] = [];
    const reached = new Set<string>();
    const queue = [...found.gitFolders];

    for (const pointer of found.pointers) {
      const stat = lstatSync(asBytes(pointer), { bigint: true, throwIfNoEntry: false });
      if (!stat) continue;
      // A repository may have taken the place of a pointer.
      if (stat.isDirectory()) {
        queue.push(pointer);
        continue;
      }
      const signature = `${stat.dev}:${stat.ino}:${stat.ctimeNs}`;
      const target = targetOf(pointer);
      const isOld =
        sinceMs === undefined ||
        pointers.get(pointer) === signature ||
        Number(stat.ctimeNs / 1_000_000n) < sinceMs;
      if (!isOld && !isInRoots(target)) {
        disarmed.push(...setAside(folder, pointer, undefined));
        continue;
      }
      pointers.set(pointer, signature);
      if (!isInRoots(target)) continue;
      if (!isOld) reached.add(target);
      queue.push(target, ...innerFolders(target));
    }

    const seen = new Set<string>();
    for (let gitFolder = queue.shift(); gitFolder !== undefined; gitFolder = queue.shift()) {
      const root = inside.find((each) => isInside(gitFolder, each));
      if (root === undefined || seen.has(gitFolder)) continue;
      seen.add(gitFolder);
      const known = trusted.get(gitFolder);
      const keeping = new Map(known);
      const isOlds = known === undefined && !reached.has(gitFolder) && isOlder(`${gitFolder}/HEAD`, sinceMs);
      const parts = inHeldFolder(root, gitFolder.slice(root.length), (held) => {
        takeOwnConfig(held, trusted.keys());
        return partsOf(held, (path) => known?.get(path));
      });
      for (const part of parts ?? []) {
        const path = `${gitFolder}/${part.path}`;
        const before = known?.get(part.path);
        const isOld =
          sinceMs === undefined ||
          before?.signature === part.signature ||
          isHeld(path) ||
          (isOlds &&
            part.changedMs < sinceMs &&
            (dirname(path) === gitFolder || isOlder(dirname(path), sinceMs)));
        const base = part.path.startsWith('objects/') ? `${gitFolder}/objects` : gitFolder;
        const verdict = isOld
          ? undefined
          : judgePart(part, before, (target) => isInRoots(realPath(base, target)), agreed);
        if (verdict?.harmless === false) {
          disarmed.push(...setAside(root, path, verdict.instead, before));
          continue;
        }
        keeping.set(part.path, part);
        if (part.path !== 'commondir' || part.content === undefined) continue;
        const common = realPath(gitFolder, part.content.replace(/[\r\n]+$/, ''));
        if (!isInRoots(common)) continue;
        if (!isOld) reached.add(common);
        queue.push(common);
      }
      trusted.set(gitFolder, keeping);
    }
    return disarmed;
  }

  async function lookAgain(folders: readonly string[], left?: Found): Promise<readonly Disarmed[]> {
    const sinceMs = Math.min(...[...running].map((each) => each.sinceMs));
    const all: Disarmed[] = [];
    for (const folder of folders.map(fromText)) {
      const found = left ? joined(knownIn(folder), left, folder) : await findRepositories(folder);
      all.push(...judge(folder, sinceMs, found));
    }
    return all;
  }

  function knownIn(folder: string): Found {
    const isKnown = (path: string) => isInside(path, folder);
    return {
      gitFolders: [...trusted.keys()].filter(isKnown),
      pointers: [...pointers.keys()].filter(isKnown),
    };
  }

  return {
    /**
     * Call before a command that may write these folders, except for `held` paths that the sandbox protects. Accepts what
     * people wrote since the last command. Changes of remotes in `agreed` are allowed.
     */
    begin: (
      folders: readonly string[],
      held: readonly string[] = [],
      agreed?: RemoteChanges,
    ): Promise<Watch> =>
      inTurn(async () => {
        for (const folder of folders.map(fromText)) {
          if (running.size > 0) break;
          // The tree is walked once; later, known paths are checked, and new ones are recognized by their age.
          const found = walked.has(folder) ? knownIn(folder) : await findRepositories(folder);
          walked.add(folder);
          judge(folder, undefined, found);
        }
        const own = { sinceMs: Date.now() - clockStepMs, held: held.map(fromText), agreed };
        running.add(own);
        return {
          look: (left) => inTurn(() => lookAgain(folders, left)),
          end: (left) => inTurn(() => lookAgain(folders, left)).finally(() => running.delete(own)),
        };
      }),
  };
}

function joined(known: Found, left: Found, folder: string): Found {
  const isIn = (path: string) => isInside(path, folder);
  return {
    gitFolders: [...new Set([...known.gitFolders, ...left.gitFolders.filter(isIn)])],
    pointers: [...new Set([...known.pointers, ...left.pointers.filter(isIn)])],
  };
}

/** File times advance in the kernel's steps. */
const clockStepMs = 20;

function isOlder(path: string, sinceMs: number | undefined): boolean {
  if (sinceMs === undefined) return true;
  const stat = lstatSync(asBytes(path), { throwIfNoEntry: false });
  return stat !== undefined && stat.ctimeMs < sinceMs;
}

/** The target of a `.git` that is a file or a link. Undefined if git would not follow it. */
function targetOf(pointer: string): string | undefined {
  return orElse(() => {
    const stat = lstatSync(asBytes(pointer));
    if (stat.isSymbolicLink()) return realPath('/', pointer);
    if (!stat.isFile() || stat.size > maxBytes) return undefined;
    const named = /^gitdir: (.*?)[\r\n]*$/s.exec(readFileSync(asBytes(pointer), 'latin1'))?.[1];
    return named === undefined ? undefined : realPath(dirname(pointer), named);
  }, undefined);
}

/** Longer than any path. */
const maxBytes = 8192;

/** The target of a path in one of git's files; undefined if it does not exist. */
function realPath(base: string, target: string): string | undefined {
  // Component by component, as git does: `link/..` is not the folder that contains the link.
  return orElse(
    () => realpathSync.native(asBytes(target.startsWith('/') ? target : `${base}/${target}`), 'latin1'),
    undefined,
  );
}
