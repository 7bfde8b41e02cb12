import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lchownSync,
  lstatSync,
  lutimesSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  unlinkSync,
} from 'node:fs';
import { createCarryOver } from '../../files/attributes.ts';
import { Lent } from '../../files/lent.ts';
import { entryOf, itself, openFolderIn, openPath, openRootFolder } from '../../files/walk.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { asBytes, fromText, toText } from '../../ground/machine/byte-paths.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { copyEntry } from './copy-entry.ts';
import { lastOf, namesIn, signatureOf, statOf } from './entries.ts';
import { gitFolderOf, holdRef, isRef } from './git-refs.ts';
import type { PlannedOverlay, Step } from './plan.ts';
import { keepFromFreeing, throwAway } from './trash.ts';
import { createPause, type Pause } from './walk.ts';

export interface ApplyOptions {
  /** Our own folder on the layer's file system for removed entries; their content is deleted later. */
  readonly trash: string;
  /** How to treat paths that others changed after the steps were planned. */
  readonly meets: 'overwrite' | 'leave';
  /** Matches names of folders with generated content: changes in them are not reported. */
  readonly leavesOut?: ((name: string) => boolean) | undefined;
  /** Called with the path of each step before it is done. */
  readonly at?: ((path: string) => void) | undefined;
}

/**
 * Does the steps of a landing; a step that was done before is harmless. Each path is reached through open folders, so
 * that swapping a folder for a link gains nothing, and a file takes its name whole. If layer and root share a file
 * system, everything is a rename. Returns the paths that were left as others changed them.
 */
export async function applySteps(
  { on, upper, steps }: PlannedOverlay,
  options: ApplyOptions,
): Promise<ReadonlySet<string>> {
  using lent = new Lent();
  const folders = openFolders(on, lent);
  const lendAbove = createLending(fromText(upper), lent);
  const left = new Set<string>();
  /** Git's folders in which another git moved a ref just now: index and logs belong to that. */
  const met = new Set<string | undefined>();
  using _ = defer(() => folders.close());
  const pause = createPause();
  for (const step of steps) {
    await pause();
    options.at?.(step.path);
    // Another program changed the entry, so its mode stays too.
    if (left.has(step.path)) continue;
    if (step.do === 'move' || step.do === 'attributes') lendAbove(step.path);
    const isMet = met.size > 0 && isReplacing(step) && met.has(gitFolderOf(step.path));
    if (!isMet && (await applyStep(step, `${fromText(upper)}/${step.path}`, folders, lent, options)))
      continue;
    left.add(step.path);
    if (isRef(step.path)) met.add(gitFolderOf(step.path));
  }
  return left;
}

/** Returns true if the step is done. */
async function applyStep(
  step: Step,
  from: string,
  folders: ReturnType<typeof openFolders>,
  lent: Lent,
  options: ApplyOptions,
): Promise<boolean> {
  const { meets } = options;
  const name = lastOf(step.path);
  if (step.do === 'times')
    return inPath(folders, step, lent, (fd) => lutimesSync(`${itself(fd)}/.`, step.accessed, step.modified));
  if (step.do === 'mode')
    return inPath(folders, step, lent, (fd) => {
      chmodSync(itself(fd), step.mode);
      lent.keep(fstatSync(fd));
    });
  if (step.do === 'attributes') return carryAttributes(folders, step.path, from, lent);
  const folder = folders.above(step.path);
  const release = isRef(step.path)
    ? await holdRef(entryOf(folder, name), meets === 'leave' ? 0 : gitWaitsMs)
    : () => {};
  if (!release && meets === 'leave') return false;
  using _ = defer(() => release?.());
  return await replace(step, { name, from, folder, lent }, options);
}

function isReplacing({ do: what }: Step): boolean {
  return what === 'move' || what === 'remove';
}

/** Removes the entry or puts the layer's in its place. Returns true if that is done. */
async function replace(
  step: Extract<Step, { do: 'move' | 'remove' }>,
  {
    name,
    from,
    folder,
    lent,
  }: { readonly name: string; readonly from: string; readonly folder: number; readonly lent: Lent },
  { trash, meets, leavesOut = () => false }: ApplyOptions,
): Promise<boolean> {
  const before = statOf(folder, name);
  // A folder that its user may not write cannot be moved.
  lent.folder(asBytes(entryOf(folder, name)), before);
  const isOthers = meets === 'leave' && before !== undefined && signatureOf(before) !== step.was;
  if (step.do === 'remove') {
    if (before && !isOthers) takeAway(folder, name, trash);
    return !isOthers;
  }
  // The changed entry may be our own, moved by an earlier attempt.
  if (isOthers) return !lstatSync(asBytes(from), { throwIfNoEntry: false });
  await put(from, { folder, name, before }, trash);
  await renew(folder, name, leavesOut, lent, createPause());
  return true;
}

/**
 * Updates the change time of everything in a folder. Its entries were written while the command ran, so a layer that
 * began before the folder landed would otherwise take them for older than itself.
 */
async function renew(
  folder: number,
  name: string,
  leavesOut: (name: string) => boolean,
  lent: Lent,
  pause: Pause,
): Promise<void> {
  const stat = statOf(folder, name);
  if (leavesOut(toText(name)) || !stat?.isDirectory()) return;
  lent.folder(asBytes(entryOf(folder, name)), stat);
  const inner = openFolderIn(folder, name, 'latin1');
  using _ = defer(() => closeSync(inner));
  for (const each of namesIn(asBytes(itself(inner)))) {
    const pausing = pause();
    if (pausing) await pausing;
    try {
      // Works for every owner, and on a link itself.
      lchownSync(asBytes(entryOf(inner, each)), -1, -1);
    } catch {
      // Another program removed or replaced it after the landing.
      continue;
    }
    await renew(inner, each, leavesOut, lent, pause);
  }
}

/** Moves an entry of the layer to its name. Does nothing if it was moved before. */
async function put(
  from: string,
  {
    folder,
    name,
    before,
  }: { readonly folder: number; readonly name: string; readonly before?: Stats | undefined },
  trash: string,
): Promise<void> {
  const [source, to] = [asBytes(from), asBytes(entryOf(folder, name))];
  if (before?.isDirectory()) {
    if (!lstatSync(source, { throwIfNoEntry: false })) return;
    takeAway(folder, name, trash);
  }
  try {
    if (before?.isFile()) keepFromFreeing(to, trash);
    renameSync(source, to);
  } catch (error) {
    const code = errnoCode(error);
    if (code === 'ENOENT' && !lstatSync(source, { throwIfNoEntry: false })) return;
    if (code !== 'ENOTDIR' && !isElsewhere(error)) throw error;
    // rename() does not put a folder in place of a file.
    if (before && lstatSync(source).isDirectory()) takeAway(folder, name, trash);
    if (!isElsewhere(error)) return renameSync(source, to);
    await copyEntry(from, folder, name, before);
    rmSync(source, { recursive: true, force: true });
  }
}

/** Opens the folder itself; a link in its place does not change the link's target. */
function inPath(
  folders: ReturnType<typeof openFolders>,
  { path }: Step,
  lent: Lent,
  change: (fd: number) => void,
): true {
  const entry = asBytes(entryOf(folders.above(path), lastOf(path)));
  const fd = openSync(entry, openPath | constants.O_NOFOLLOW);
  using _ = defer(() => closeSync(fd));
  const stat = fstatSync(fd);
  lent.folder(entry, stat);
  if (stat.isDirectory()) change(fd);
  return true;
}

/** Copies a folder's attributes without the layer's marks. */
async function carryAttributes(
  folders: ReturnType<typeof openFolders>,
  path: string,
  from: string,
  lent: Lent,
): Promise<true> {
  const entry = asBytes(entryOf(folders.above(path), lastOf(path)));
  for (const each of [entry, asBytes(from)]) lent.folder(each, lstatSync(each));
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const to = openSync(entry, flags);
  try {
    const own = openSync(asBytes(from), flags);
    using _ = defer(() => closeSync(own));
    await createCarryOver((name) => !name.startsWith('user.overlay.'))(own, to);
  } finally {
    closeSync(to);
  }
  return true;
}

/** Moves the entry to the trash by one rename if possible. */
function takeAway(folder: number, name: string, trash: string): void {
  try {
    throwAway(asBytes(entryOf(folder, name)), trash);
  } catch (error) {
    if (!isElsewhere(error)) throw error;
    removeIn(folder, name);
  }
}

/** Removes an entry of an open folder with its content; follows no link. */
function removeIn(folder: number, name: string): void {
  const entry = asBytes(entryOf(folder, name));
  if (!statOf(folder, name)?.isDirectory()) {
    unlinkSync(entry);
    return;
  }
  const inner = openFolderIn(folder, name, 'latin1');
  try {
    for (const each of readdirSync(itself(inner), { encoding: 'latin1' as BufferEncoding }))
      removeIn(inner, each);
  } finally {
    closeSync(inner);
  }
  rmdirSync(entry);
}

/** Lends the rights on the layer's folders above a path; those of the path before it have them already. */
function createLending(top: string, lent: Lent) {
  let last: readonly string[] = [];
  return (path: string) => {
    const names = path.split('/').slice(0, -1);
    let depth = 0;
    while (depth < names.length && last[depth] === names[depth]) depth++;
    for (; depth <= names.length; depth++) {
      const folder = asBytes([top, ...names.slice(0, depth)].join('/'));
      lent.folder(folder, lstatSync(folder, { throwIfNoEntry: false }));
    }
    last = names;
  };
}

/** Opens the folders of consecutive paths, each from the one above; shared parents are opened once. */
function openFolders(on: string, lent: Lent) {
  const root = openRootFolder(on);
  lent.folder(on, lstatSync(on));
  const open: { readonly name: string; readonly fd: number }[] = [];
  const leave = (depth: number) => {
    for (const { fd } of open.splice(depth)) closeSync(fd);
  };
  return {
    above(path: string): number {
      const names = path.split('/').slice(0, -1);
      let depth = 0;
      while (depth < open.length && open[depth]?.name === names[depth]) depth++;
      leave(depth);
      for (const name of names.slice(depth)) {
        const above = open.at(-1)?.fd ?? root;
        const fd = openFolderIn(above, name, 'latin1');
        open.push({ name, fd });
        lent.folder(asBytes(entryOf(above, name)), fstatSync(fd));
      }
      return open.at(-1)?.fd ?? root;
    },
    close() {
      leave(0);
      closeSync(root);
    },
  };
}

function isElsewhere(error: unknown): boolean {
  return errnoCode(error) === 'EXDEV';
}

/** How long a landing that is done for good waits for a ref's lock, which git holds for milliseconds. */
const gitWaitsMs = 1000;
