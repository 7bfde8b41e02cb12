import { Buffer } from 'node:buffer';
import { closeSync } from 'node:fs';
import { relative } from 'node:path';
import { toText } from '../../ground/byte-paths.ts';
import { generatedFolders } from '../../ground/generated-folders.ts';
import { isBelow } from '../../ground/inside.ts';
import { createObeyedAnywhere } from '../../ground/obeyed/obeyed-by.ts';
import { protectedAnywhere } from '../layer/protection.ts';
import { type Asking, judgedLater, refused } from './asking.ts';
import { type FileCalls, here } from './file-calls.ts';
import { Unkept } from './keep.ts';

export interface EntranceOptions {
  /** Host paths. */
  readonly roots: readonly string[];
  /** Names that no tool writes; undefined: new content is not asked about. */
  readonly protectedNames: readonly string[] | undefined;
}

/** Content that exists already, as an O_PATH descriptor. */
export interface Arriving {
  readonly path: string;
  readonly at: string;
  readonly fd: number;
}

/** Guards the paths that editors, agents, shells and git obey: asks the main thread which content may come there. */
export interface Entrance {
  guards(path: string): boolean;
  /** Contents are about to come to paths. Throws if one may not. `folder`: a new folder that contains them. */
  comes(contents: readonly Arriving[], folder?: string): void;
  /** A file at a path is about to be written. Throws if it may not. Returns whether to check it afterwards. */
  opens(path: string): boolean;
  /** A link was made there. */
  came(path: string): void;
  /** The command has opened it. */
  opened(path: string, fd: number): void;
  /** A file has other names besides a guarded path, by which it could be written. */
  links(path: string, key: string): void;
  linkedTo(key: string): string | undefined;
  /** Gets written content judged, of files that no process writes any more. */
  settle(): void;
  readonly waits: boolean;
  /** The paths that were not judged when the command ended. */
  left(): readonly string[];
}

export function createEntrance(
  files: FileCalls,
  { roots, protectedNames }: EntranceOptions,
  ask: Asking,
): Entrance {
  const tops = roots
    .map((root) => Buffer.from(root).toString('latin1'))
    .toSorted((a, b) => b.length - a.length);
  const isProtected = protectedAnywhere(protectedNames ?? []);
  const isObeyed = createObeyedAnywhere();
  // git's own folder is looked at when a command ends, unless it is no business of the caller's.
  const guardsGit = protectedNames?.includes('.git') ?? false;
  const agreed = new Set<string>();
  const linked = new Map<string, string>();
  const written = new Map<string, { readonly fd: number; atMs: number }>();

  function guards(path: string): boolean {
    if (protectedNames === undefined || agreed.has(path)) return false;
    const top = tops.find((each) => isBelow(path, each));
    if (top === undefined) return false;
    const below = toText(relative(top, path));
    const names = below.split('/');
    if (names.slice(0, -1).some((name) => generatedFolders.has(name))) return false;
    // A folder with a HEAD is a repository.
    if (guardsGit && names.at(-1) === 'HEAD') return true;
    if (!guardsGit && names.slice(0, -1).includes('.git')) return false;
    return isProtected(`/${below}`, false) || isObeyed(below) !== undefined;
  }

  /** Does no process have it open for writing? Only then does the kernel grant a read lease. */
  function isWhole(fd: number): boolean {
    const reading = files.openAt(here, Buffer.from(`/proc/self/fd/${fd}`), closeOnExec, 0);
    if (reading < 0) return false;
    const isGiven = files.lease(reading) === 0;
    closeSync(reading);
    return isGiven;
  }

  function isFile(fd: number): boolean {
    const stat = files.statAt(fd, Buffer.alloc(0));
    return typeof stat !== 'number' && stat.isFile;
  }

  function opened(path: string, fd: number): void {
    const known = written.get(path);
    if (known) closeSync(known.fd);
    const own = files.openAt(here, Buffer.from(`/proc/self/fd/${fd}`), placeOnly, 0);
    written.set(path, { fd: own, atMs: Date.now() });
  }

  return {
    guards,
    comes(contents, folder) {
      const guarded = contents.filter(({ path }) => guards(path));
      if (guarded.length === 0) return;
      // A process that has it open could still write it.
      const open = guarded.filter(({ fd }) => isFile(fd) && !isWhole(fd));
      const said = ask({
        kind: 'comes',
        contents: guarded.map((each) => ({
          path: each.path,
          at: open.includes(each) || each.fd < 0 ? undefined : each.at,
        })),
        folder,
      });
      if (said === refused) throw new Unkept(EPERM);
      if (said === judgedLater) for (const { path, fd } of open) opened(path, fd);
    },
    opens(path) {
      if (!guards(path)) return false;
      if (written.has(path)) return true;
      const said = ask({ kind: 'comes', contents: [{ path }] });
      if (said === refused) throw new Unkept(EPERM);
      if (said !== judgedLater) agreed.add(path);
      return said === judgedLater;
    },
    came(path) {
      if (guards(path)) ask({ kind: 'written', contents: [{ path, at: path }] });
    },
    opened,
    links: (path, key) => void (guards(path) && linked.set(key, path)),
    linkedTo: (key) => linked.get(key),
    settle() {
      for (const [path, one] of written) {
        const isOver = isWhole(one.fd);
        if (!isOver && Date.now() - one.atMs < openMs) continue;
        one.atMs = Date.now();
        ask({ kind: 'written', contents: [{ path, at: path }] });
        if (!isOver) continue;
        written.delete(path);
        closeSync(one.fd);
      }
    },
    get waits() {
      return written.size > 0;
    },
    left() {
      const paths = [...written.keys()];
      for (const { fd } of written.values()) closeSync(fd);
      written.clear();
      return paths;
    },
  };
}

const EPERM = 1;
const closeOnExec = 0o2000000;
const placeOnly = 0o12000000;
/** A file that stays open for longer is judged as it is. */
const openMs = 50;
