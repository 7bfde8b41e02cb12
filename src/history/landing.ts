import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync } from 'node:fs';
import type { Attribution, FileState } from '../contract/capabilities/history.ts';
import type { LandingChange, LandingKeeper, LandingSide } from '../contract/capabilities/landing.ts';
import { readAtNow } from '../files/io.ts';
import { withRights } from '../files/lent.ts';
import { isTemporaryName } from '../files/names.ts';
import { defer } from '../ground/waiting/defer.ts';
import { digestOfFile } from './blobs.ts';
import { atOnceBytes } from './change-state.ts';
import type { Contents } from './contents.ts';
import type { NewChange, Prepared, Recorder } from './recorder.ts';
import { isSame } from './state.ts';

export interface LandingKeeperOptions {
  readonly recorder: Recorder;
  readonly contents: Contents;
  readonly who: Attribution;
  /** Names of folders whose content is not kept. */
  readonly ignore: readonly string[];
  readonly maxFileBytes: number;
  /** Waits until the notes of killed servers are dealt with. */
  readonly recovered: () => Promise<void>;
}

/** Keeps what a landing replaces, and writes its changes down, which can be undone one by one from the end. */
export function createLandingKeeper(options: LandingKeeperOptions): LandingKeeper {
  const { recorder, contents, who, maxFileBytes } = options;
  const ignored = new Set(options.ignore);
  const removed: NewChange[] = [];
  const changed: NewChange[] = [];
  const created: NewChange[] = [];
  const durables: Promise<void>[] = [];
  let hasMany = false;
  let leftOut = 0;
  let prepared: Prepared | undefined;

  /** `bytes`: the content, if it is read already. */
  async function keep(side: LandingSide | undefined, bytes?: Buffer): Promise<FileState> {
    if (side?.kind !== 'file' || side.bytes > maxFileBytes) return stateOf(side);
    if (side.bytes > atOnceBytes) return withDigest(side, await contents.putFile(side.entry));
    if (durables.length === syncsOfTheirOwn) {
      hasMany = true;
      return withDigest(side, contents.putUnsynced(bytes ?? read(side.entry)));
    }
    const { digest, durable } = contents.put(bytes ?? read(side.entry));
    durables.push(durable);
    return withDigest(side, digest);
  }

  async function note({ root, path, before, after }: LandingChange): Promise<void> {
    if (!isShown(path) || isLeftOut(path, before, after)) return;
    if (!before && created.length === mostCreated) {
      leftOut += 1;
      return;
    }
    const next = seen(after);
    // Most written files are new: only existing ones are read and kept.
    if (!before) created.push({ root, path, before: { kind: 'absent' }, after: next });
    else if (!after) removed.push({ root, path, before: await keep(before), after: next });
    else {
      const bytes = before.kind === 'file' && before.bytes <= atOnceBytes ? read(before.entry) : undefined;
      if (!mayDiffer(before, after, next, bytes)) return;
      const former = await keep(before, bytes);
      const isUnread = !bytes && 'digest' in former && next.kind === 'file' && before.bytes === after.bytes;
      const found = isUnread ? withDigest(after, await digestOfFile(after.entry)) : next;
      if (!isSame(former, found, true)) changed.push({ root, path, before: former, after: found });
    }
  }

  /** Only the loss of a git object is recorded: an extra object does no harm, and others may need it by now. */
  function isLeftOut(path: string, before: LandingSide | undefined, after: LandingSide | undefined): boolean {
    const names = path.split('/');
    const isFolder = (before ?? after)?.kind === 'folder';
    if (names.some((name, at) => ignored.has(name) && (isFolder || at < names.length - 1))) return true;
    return !before && /(^|\/)\.git\/(modules\/.*\/)?objects\//.test(path);
  }

  return {
    who,
    leavesOut: (name) => ignored.has(name),
    mostBytes: { file: maxFileBytes, all: 2 * maxFileBytes },
    isOurs: (hostPath, how) => recorder.madeBy.has(who.sessionId, hostPath, how),
    note,
    async begin() {
      await options.recovered();
      await Promise.all(durables.splice(0));
      if (hasMany) await contents.sync();
      // If others change files in between, the rest is prepared again.
      prepared = await recorder.prepare(
        [removed, changed, created].flatMap((noted) => noted.splice(0)),
        who,
      );
    },
    async found({ root, path, before, after }) {
      const { digest, durable } = contents.put(before);
      await durable;
      const former: FileState = { kind: 'file', bytes: before.length, digest };
      const next: FileState = { kind: 'file', bytes: after.length, digest: hash('sha256', after) };
      await recorder.add([{ root, path, before: former, after: next }], who);
    },
    async end(isWhole) {
      await prepared?.enter(isWhole);
    },
    notes: () =>
      leftOut === 0
        ? []
        : [`[history: of what is new, ${leftOut} paths are not written down; undo leaves them]\n`],
  };
}

function mayDiffer(
  before: LandingSide,
  after: LandingSide,
  next: FileState,
  bytes: Buffer | undefined,
): boolean {
  if (before.kind !== after.kind || before.bytes !== after.bytes) return true;
  if (before.kind !== 'symlink' && before.mode !== after.mode) return true;
  if (before.kind === 'symlink') return !isSame(stateOf(before), next, false);
  if (before.kind !== 'file') return false;
  if (next.kind === 'file' && bytes) return hash('sha256', bytes) !== next.digest;
  // A name that was removed and put back has its own file again, of whatever size.
  const [former, now] = [lstatSync(before.entry), lstatSync(after.entry)];
  return former.dev !== now.dev || former.ino !== now.ino;
}

/** Adds the digest if the file is small. */
function seen(side: LandingSide | undefined): FileState {
  return side?.kind === 'file' && side.bytes <= atOnceBytes
    ? withDigest(side, hash('sha256', read(side.entry)))
    : stateOf(side);
}

function withDigest({ bytes, mode }: LandingSide, digest: string): FileState {
  return { kind: 'file', bytes, mode, digest };
}

function stateOf(side: LandingSide | undefined): FileState {
  if (!side) return { kind: 'absent' };
  const { kind, bytes, mode, entry } = side;
  if (kind === 'file') return { kind, bytes, mode };
  if (kind === 'folder') return { kind, mode };
  return kind === 'symlink' ? { kind, target: readlinkSync(entry) } : { kind };
}

function read(entry: string): Buffer {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const fd = withRights(entry, () => openSync(entry, flags));
  using _ = defer(() => closeSync(fd));
  return readAtNow(fd, 0, fstatSync(fd).size);
}

/** Entries are held in memory and added in one go. */
const mostCreated = 50_000;
/** Each sync holds a descriptor and a thread. Beyond this number, the whole file system is synced. */
const syncsOfTheirOwn = 64;

/** A name that is not UTF-8 cannot be written as text; the mirror and temporary files are our own. */
function isShown(path: string): boolean {
  if (path.includes('\ufffd') || path === '.shelpa' || path.startsWith('.shelpa/')) return false;
  return !isTemporaryName(path.slice(path.lastIndexOf('/') + 1));
}
