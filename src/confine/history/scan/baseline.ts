import { closeSync, constants, fstatSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setImmediate as giveWay } from 'node:timers/promises';
import type { FileState } from '../../../contract/capabilities/history.ts';
import { readAtNow } from '../../files/io.ts';
import { digestOf } from '../blobs.ts';
import type { Contents } from '../contents.ts';
import type { Held, HeldContents } from '../held.ts';
import { divide, type Parts } from '../parts.ts';
import { parentOf, type Seen, seenAt } from '../seen.ts';
import type { Bounds } from './bounds.ts';
import { scan } from './scan.ts';

export interface BaselineOptions {
  readonly folder: string;
  readonly ignore: readonly string[];
  readonly held: HeldContents;
  readonly contents: Contents;
  /** Most bytes that are held; files beyond are known, and not kept. */
  readonly maxBytes: number;
  readonly maxFileBytes: number;
  readonly bounds: Bounds;
  readonly now: () => number;
}

/** A change that was found by comparison; the content before it is kept. */
export interface Found {
  readonly path: string;
  readonly before: FileState;
  readonly after: FileState;
}

/** What a folder held when it was last looked at, with copies of the files. */
export interface Baseline {
  /**
   * Looks at what changed since the last time, and tells it in an order that can be taken back one by one from its
   * end. What is not wanted is learned and not told: it is somebody else's.
   */
  refresh(wanted: boolean): Promise<readonly Found[]>;
}

interface Node {
  readonly seen: Seen;
  readonly held: Held | undefined;
  readonly digest: string | undefined;
  /** Looked at so soon after its change that another in the same tick would not show. */
  readonly isFresh: boolean;
}

export function createBaseline(options: BaselineOptions): Baseline {
  const { folder, held, contents, bounds, now } = options;
  const nodes = new Map<string, Node>();
  const children = new Map<string, Set<string>>();
  let lookedAtMs: number | undefined;
  let parts: Parts | undefined;
  let dividedAt = 0;

  async function refresh(wanted: boolean): Promise<readonly Found[]> {
    const startedAtMs = now();
    const isFirst = lookedAtMs === undefined;
    bounds.begin();
    const seen = [
      ...(await scan(folder, {
        ignore: options.ignore,
        changedAfterMs: lookedAtMs === undefined ? undefined : lookedAtMs - overlapMs,
        parts: isFirst ? undefined : currentParts(),
        expectedEntries: nodes.size,
        bounds,
      })),
    ];
    for (const path of bounds.leftOut) dropBelow(path);
    const removed: Found[] = [];
    const changed: Found[] = [];
    const created: Found[] = [];

    async function compare(now: Seen): Promise<void> {
      const was = nodes.get(now.path);
      if (was && isSame(was.seen, now) && !was.isFresh) return;
      const next = take(now);
      if (!next) return;
      if (wanted && !isFirst) {
        const after = stateOf(next);
        if (!was) created.push({ path: now.path, before: { kind: 'absent' }, after });
        else if (differs(was, next)) changed.push({ path: now.path, before: await keep(was), after });
      }
      put(now.path, next);
      if (was?.held && was.held !== next.held) held.release(was.held);
    }

    async function forget(path: string): Promise<void> {
      for (const name of [...(children.get(path) ?? [])]) await forget(join(path, name));
      const was = nodes.get(path);
      if (!was) return;
      if (wanted) removed.push({ path, before: await keep(was), after: { kind: 'absent' } });
      drop(path);
      if (was.held) held.release(was.held);
    }

    // Folders first: what is gone is forgotten before what came in its place is learned.
    if (!isFirst) {
      const whole = new Set<string>();
      for (const one of [...seen]) {
        const was = nodes.get(one.path);
        if (was?.seen.kind === 'folder' && one.kind !== 'folder') {
          for (const name of [...(children.get(one.path) ?? [])]) await forget(join(one.path, name));
        }
        if (one.kind !== 'folder' || bounds.leavesOut(one.path)) continue;
        // A folder that came from elsewhere brings things along that did not change.
        if (whole.has(parentOf(one.path))) whole.add(one.path);
        else if (!was || was.seen.inode !== one.inode) {
          seen.push(...(await everythingIn(one.path)));
          whole.add(one.path);
        }
        const names = new Set(namesIn(join(folder, one.path)));
        for (const name of [...(children.get(one.path) ?? [])]) {
          if (!names.has(name)) await forget(join(one.path, name));
        }
      }
    }
    let step = 0;
    for (const one of seen.sort(byPath)) {
      await compare(one);
      if (++step % 50 === 0) await giveWay();
    }
    lookedAtMs = startedAtMs;
    if (held.isWasteful) moveHeld();
    return [...removed, ...changed, ...created];
  }

  /** Divided anew when the folder has changed much. */
  function currentParts(): Parts | undefined {
    if (Math.abs(nodes.size - dividedAt) > nodes.size / 10) {
      parts = divide(children, (path) => nodes.get(path)?.seen.kind === 'folder', availableParallelism());
      dividedAt = nodes.size;
    }
    return parts;
  }

  function moveHeld(): void {
    const moved = held.compact([...nodes.values()].flatMap((node) => node.held ?? []));
    for (const [path, node] of nodes) {
      if (node.held) nodes.set(path, { ...node, held: moved.get(node.held) ?? node.held });
    }
  }

  async function everythingIn(path: string): Promise<Seen[]> {
    const below = await scan(join(folder, path), { ignore: options.ignore, bounds: bounds.below(path) });
    return below.filter((one) => one.path !== '').map((one) => ({ ...one, path: join(path, one.path) }));
  }

  /** A file's content is read now; what was looked at and is gone again was never there. */
  function take(seen: Seen): Node | undefined {
    const isFresh = Number(seen.changed) * 1000 > now() - tickMs;
    if (seen.kind !== 'file') return { seen, held: undefined, digest: undefined, isFresh: false };
    const path = join(folder, seen.path);
    try {
      const mayHold = held.bytes + seen.bytes <= options.maxBytes && seen.bytes <= options.maxFileBytes;
      if (seen.bytes > atOnceBytes || !mayHold) {
        return {
          seen,
          held: mayHold ? held.holdFile(path, seen.bytes) : undefined,
          digest: undefined,
          isFresh,
        };
      }
      const content = opened(path, (fd, bytes) => readAtNow(fd, 0, bytes));
      const current = seenAt(path, seen.path);
      if (!content || current?.kind !== 'file') return undefined;
      return {
        seen: current,
        held: held.hold(content),
        digest: lookedAtMs === undefined ? undefined : digestOf(content),
        isFresh,
      };
    } catch {
      // It cannot be read, or is gone: known, and not kept.
      return { seen, held: undefined, digest: undefined, isFresh: false };
    }
  }

  /** The state of a node, with its content in the history. */
  async function keep({ seen, held: at, digest }: Node): Promise<FileState> {
    const state = plainState(seen);
    if (state.kind !== 'file' || !at) return state;
    try {
      const content = held.read(at);
      if ('path' in content) return { ...state, digest: await contents.putFile(content.path) };
      const kept = contents.put(content);
      await kept.durable;
      // What was held is not what was there, if somebody got at it.
      return digest !== undefined && digest !== kept.digest ? state : { ...state, digest: kept.digest };
    } catch {
      // The command has run already: better an entry without the content than none.
      return state;
    }
  }

  function contentOf(node: Node): string | undefined {
    if (node.digest !== undefined) return node.digest;
    if (!node.held) return undefined;
    const content = held.read(node.held);
    return 'path' in content ? undefined : digestOf(content);
  }

  function differs(was: Node, next: Node): boolean {
    const [a, b] = [was.seen, next.seen];
    if (a.kind !== b.kind || a.target !== b.target) return true;
    if (a.mode !== b.mode) return a.kind !== 'symlink';
    if (a.kind !== 'file') return false;
    if (a.bytes !== b.bytes) return true;
    const content = contentOf(was);
    return content === undefined || content !== contentOf(next);
  }

  function put(path: string, node: Node): void {
    nodes.set(path, node);
    if (path === '') return;
    const above = parentOf(path);
    const names = children.get(above) ?? new Set();
    children.set(above, names.add(path.slice(above === '' ? 0 : above.length + 1)));
  }

  function drop(path: string): void {
    nodes.delete(path);
    children.delete(path);
    const above = parentOf(path);
    children.get(above)?.delete(path.slice(above === '' ? 0 : above.length + 1));
  }

  /** What is left out is not known any more: its state would grow old. */
  function dropBelow(path: string): void {
    for (const name of [...(children.get(path) ?? [])]) {
      const inside = join(path, name);
      dropBelow(inside);
      const was = nodes.get(inside);
      drop(inside);
      if (was?.held) held.release(was.held);
    }
  }

  return { refresh };
}

function stateOf({ seen, digest }: Node): FileState {
  const state = plainState(seen);
  return state.kind === 'file' ? { ...state, digest } : state;
}

function plainState({ kind, bytes, mode, target }: Seen): FileState {
  if (kind === 'file') return { kind, bytes, mode };
  if (kind === 'folder') return { kind, mode };
  return kind === 'symlink' ? { kind, target } : { kind };
}

function isSame(a: Seen, b: Seen): boolean {
  return (
    a.inode === b.inode &&
    a.bytes === b.bytes &&
    a.modified === b.modified &&
    a.changed === b.changed &&
    a.kind === b.kind &&
    a.mode === b.mode
  );
}

/** Opens the file that stands at exactly this path: a folder above it may have become a link meanwhile. */
function opened<T>(path: string, use: (fd: number, bytes: number) => T): T | undefined {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    const isThere = stat.isFile() && readlinkSync(`/proc/self/fd/${fd}`) === path;
    return isThere ? use(fd, stat.size) : undefined;
  } finally {
    closeSync(fd);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Gone meanwhile, or never made.
    return [];
  }
}

function byPath(a: Seen, b: Seen): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** How far back a look reaches beyond the one before it: clocks of file systems are coarse, and may lag. */
const overlapMs = 2000;
const tickMs = 50;
const atOnceBytes = 4 * 1024 * 1024;
