import { closeSync } from 'node:fs';
import { constants as os } from 'node:os';
import { generatedFolders } from '../../ground/generated-folders.ts';
import { isBelow } from '../../ground/inside.ts';
import { toText } from '../../ground/machine/byte-paths.ts';
import { closeOnExec } from '../../ground/machine/syscalls.ts';
import { createObeyedAnywhere } from '../../ground/obeyed/obeyed-by.ts';
import { protectedAnywhere } from '../layer/protection.ts';
import { type Asking, judgedLater, refused } from './asking.ts';
import { type FileCalls, here, place } from './file-calls.ts';
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
export class Entrance {
  readonly #files: FileCalls;
  readonly #ask: Asking;
  readonly #tops: readonly string[];
  readonly #guardsAny: boolean;
  /** git's own folder is looked at when a command ends, unless it is no business of the caller's. */
  readonly #guardsGit: boolean;
  readonly #isProtected: ReturnType<typeof protectedAnywhere>;
  readonly #isObeyed = createObeyedAnywhere();
  readonly #agreed = new Set<string>();
  readonly #linked = new Map<string, string>();
  readonly #written = new Map<string, { readonly fd: number; atMs: number }>();

  constructor(files: FileCalls, { roots, protectedNames }: EntranceOptions, ask: Asking) {
    this.#files = files;
    this.#ask = ask;
    this.#tops = roots.map((root) => Buffer.from(root).toString('latin1'));
    this.#guardsAny = protectedNames !== undefined;
    this.#guardsGit = protectedNames?.includes('.git') ?? false;
    this.#isProtected = protectedAnywhere(protectedNames ?? []);
  }

  guards(path: string): boolean {
    if (!this.#guardsAny || this.#agreed.has(path)) return false;
    return this.#tops.some(
      (top) => isBelow(path, top) && this.#guardsBelow(toText(path.slice(top === '/' ? 1 : top.length + 1))),
    );
  }

  #guardsBelow(below: string): boolean {
    const names = below.split('/');
    const name = names.pop();
    if (names.some((above) => generatedFolders.has(above))) return false;
    // A folder with a HEAD is a repository.
    if (this.#guardsGit && name === 'HEAD') return true;
    if (!this.#guardsGit && names.includes('.git')) return false;
    return this.#isProtected(`/${below}`, false) || this.#isObeyed(below) !== undefined;
  }

  /** Contents are about to come to paths. Throws if one may not. `folder`: a new folder that contains them. */
  comes(contents: readonly Arriving[], folder?: string): void {
    const guarded = contents.filter(({ path }) => this.guards(path));
    if (guarded.length === 0) return;
    // A process that has it open could still write it.
    const open = guarded.filter(({ fd }) => this.#isFile(fd) && !this.#isWhole(fd));
    const said = this.#ask({
      kind: 'comes',
      contents: guarded.map((each) => ({
        path: each.path,
        at: open.includes(each) || each.fd < 0 ? undefined : each.at,
      })),
      folder,
    });
    if (said === refused) throw new Unkept(os.errno.EPERM);
    if (said === judgedLater) for (const { path, fd } of open) this.opened(path, fd);
  }

  /** A file at a path is about to be written. Throws if it may not. Returns whether to check it afterwards. */
  opens(path: string): boolean {
    if (!this.guards(path)) return false;
    if (this.#written.has(path)) return true;
    const said = this.#ask({ kind: 'comes', contents: [{ path }] });
    if (said === refused) throw new Unkept(os.errno.EPERM);
    if (said !== judgedLater) this.#agreed.add(path);
    return said === judgedLater;
  }

  /** A link was made there. */
  came(path: string): void {
    if (this.guards(path)) this.#ask({ kind: 'written', contents: [{ path, at: path }] });
  }

  /** The command has opened it. */
  opened(path: string, fd: number): void {
    const known = this.#written.get(path);
    if (known) closeSync(known.fd);
    this.#written.set(path, { fd: this.#files.openAt(here, itself(fd), place), atMs: Date.now() });
  }

  /** A file has other names besides a guarded path, by which it could be written. */
  links(path: string, key: string): void {
    if (this.guards(path)) this.#linked.set(key, path);
  }

  linkedTo(key: string): string | undefined {
    return this.#linked.get(key);
  }

  /** Gets written content judged, of files that no process writes any more. */
  settle(): void {
    for (const [path, one] of this.#written) {
      const isOver = this.#isWhole(one.fd);
      if (!isOver && Date.now() - one.atMs < openMs) continue;
      one.atMs = Date.now();
      this.#ask({ kind: 'written', contents: [{ path, at: path }] });
      if (!isOver) continue;
      this.#written.delete(path);
      closeSync(one.fd);
    }
  }

  get waits(): boolean {
    return this.#written.size > 0;
  }

  /** The paths that were not judged when the command ended. */
  left(): readonly string[] {
    const paths = [...this.#written.keys()];
    for (const { fd } of this.#written.values()) closeSync(fd);
    this.#written.clear();
    return paths;
  }

  /** Does no process have it open for writing? Only then does the kernel grant a read lease. */
  #isWhole(fd: number): boolean {
    const reading = this.#files.openAt(here, itself(fd), closeOnExec);
    if (reading < 0) return false;
    const isGiven = this.#files.lease(reading) === 0;
    closeSync(reading);
    return isGiven;
  }

  #isFile(fd: number): boolean {
    const stat = this.#files.statAt(fd, Buffer.alloc(0));
    return typeof stat !== 'number' && stat.isFile;
  }
}

function itself(fd: number): Buffer {
  return Buffer.from(`/proc/self/fd/${fd}`);
}

/** A file that stays open for longer is judged as it is. */
const openMs = 50;
