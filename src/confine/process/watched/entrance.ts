import { Buffer } from 'node:buffer';
import { closeSync } from 'node:fs';
import { toText } from '../../../ground/byte-paths.ts';
import { generatedFolders } from '../../../ground/generated-folders.ts';
import { createObeyedAnywhere } from '../../../ground/obeyed-by.ts';
import { protectedAnywhere } from '../../layer/protection.ts';
import { type Asking, judgedLater, refused } from './asking.ts';
import type { FileCalls } from './file-calls.ts';
import { Unkept } from './keep.ts';
import { here } from './view.ts';

export interface EntranceOptions {
  /** Host paths. */
  readonly roots: readonly string[];
  /** Names that no tool writes; undefined: nobody is asked about anything that comes. */
  readonly protectedNames: readonly string[] | undefined;
}

/** A content that is at hand, open as a mere place. */
export interface Arriving {
  readonly path: string;
  readonly at: string;
  readonly fd: number;
}

/** Guards the paths that editors, agents, shells and git obey: says what may come there, once the main thread has. */
export interface Entrance {
  guards(path: string): boolean;
  /** Contents are about to come to paths. Throws where one may not. `folder`: a new one that they come in. */
  comes(contents: readonly Arriving[], folder?: string): void;
  /** A file at a path is about to be written. Throws where it may not. Returns whether it is to be looked at afterwards. */
  opens(path: string): boolean;
  /** A link was made there. */
  came(path: string): void;
  /** It is open for the command now. */
  opened(path: string, fd: number): void;
  /** A file has a guarded path beside others, by which it could be written as well. */
  links(path: string, key: string): void;
  linkedTo(key: string): string | undefined;
  /** Has what was written judged, of files that nobody writes any more. */
  settle(): void;
  readonly waits: boolean;
  /** What was not judged when the command ended. */
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
  const agreed = new Set<string>();
  const linked = new Map<string, string>();
  const written = new Map<string, { readonly fd: number; atMs: number }>();

  function guards(path: string): boolean {
    if (protectedNames === undefined || agreed.has(path)) return false;
    const top = tops.find((each) => path.startsWith(`${each}/`));
    if (top === undefined) return false;
    const below = toText(path.slice(top.length + 1));
    const names = below.split('/');
    if (names.slice(0, -1).some((name) => generatedFolders.has(name) || name === '.git')) return false;
    return isProtected(`/${below}`, false) || isObeyed(below) !== undefined;
  }

  /** Does nobody have it open for writing? Then the kernel gives a lease to whoever reads it. */
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
      // Whoever has it open could still write it.
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
/** What stays open for longer is judged as it is. */
const openMs = 50;
