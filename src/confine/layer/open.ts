import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DryRun } from '../../contract/capabilities/dry-run.ts';
import { mayLive, owner, thisProcess } from '../files/owner.ts';
import { type LandedPaths, type LandOptions, landLayers } from './land.ts';
import { type Overlay, outermost, overlayOn } from './overlay.ts';
import { type ReadMark, readLayers } from './read.ts';

/** What one command writes in place of the folders that it may write. */
export interface Layer {
  readonly overlays: readonly Overlay[];
  /** The room that is left where it lies, in bytes. */
  freeBytes(): number;
  /** What would have changed below `roots`. The command has ended. */
  read(roots: readonly string[]): Promise<DryRun>;
  /** Puts it in place. */
  land(options: Omit<LandOptions, 'readMark'>): Promise<LandedPaths>;
  close(): Promise<void>;
}

/**
 * A layer over these folders, itself in a new folder below `base`. Throws where `base` lies in one of them, as a layer
 * must not lie in what it covers, and where something is mounted in one of them. What a killed server left in `base` is removed at the first.
 */
export function openLayer(base: string, folders: readonly string[], readMark: ReadMark): Layer {
  const inside = folders.find((folder) => `${base}/`.startsWith(`${folder}/`));
  if (inside !== undefined)
    throw new Error(`the state folder lies in ${inside}, which the layer would cover`);
  const mount = mountIn(folders);
  if (mount !== undefined)
    throw new Error(`a file system of its own is mounted at ${mount}, which no layer covers`);
  mkdirSync(base, { recursive: true, mode: 0o700 });
  sweep(base);
  const at = mkdtempSync(join(base, prefix));
  writeFileSync(join(at, 'owner'), `${JSON.stringify(thisProcess())}\n`);
  const overlays = outermost(folders).map((folder, index) => {
    const overlay = overlayOn(folder, join(at, String(index)));
    mkdirSync(join(at, String(index)));
    mkdirSync(overlay.upper);
    mkdirSync(overlay.work);
    return overlay;
  });
  return {
    overlays,
    freeBytes() {
      const { bavail, bsize } = statfsSync(at);
      return bavail * bsize;
    },
    read: (roots) => readLayers(overlays, roots, readMark),
    land: (options) => landLayers(overlays, { ...options, readMark }),
    close: () => remove(at),
  };
}

/** What is mounted below one of these. The kernel puts no layer of an unprivileged user over a tree with mounts in it. */
function mountIn(folders: readonly string[]): string | undefined {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => unescaped(line.split(' ', 5)[4] ?? ''))
    .find((mount) => folders.some((folder) => mount !== folder && mount.startsWith(`${folder}/`)));
}

/** Space, tab, line break and backslash stand there in octal (proc_pid_mountinfo(5)). */
function unescaped(words: string): string {
  return words.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

function sweep(base: string): void {
  for (const name of readdirSync(base)) {
    const head = join(base, name, 'owner');
    if (!name.startsWith(prefix) || !existsSync(head)) continue;
    const who = owner.safeParse(parsed(readFileSync(head, 'utf8')));
    if (!who.success || mayLive(who.data, head)) continue;
    // In its own time; the next sweep finds what could not be removed.
    void remove(join(base, name)).catch(() => undefined);
  }
}

/** Whatever a command left: folders without rights, and trees deeper than a path may be long. */
async function remove(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    // What it could not change is what `rm` will name.
    await run('chmod', ['-R', 'u+rwX', '--', folder]).catch(() => undefined);
    await run('rm', ['-rf', '--', folder]);
  }
}

const run = promisify(execFile);

function parsed(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    // Torn by a crash: whose it was is not known, so it stays.
    return undefined;
  }
}

const prefix = 'layer-';
