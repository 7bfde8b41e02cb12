import type { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { readAtNow } from '../files/io.ts';
import { mayLive, owner, thisProcess } from '../files/owner.ts';

/** Where a content is held. */
export type Held =
  | { readonly at: number; readonly bytes: number }
  | { readonly file: string; readonly bytes: number };

/**
 * Contents that are there in case a command changes them: small ones one after another in a file, large ones as
 * clones. They are this process's, are not synced, and go with it.
 */
export interface HeldContents {
  /** Bytes that are held in all, those that nothing asks for any more included. */
  readonly bytes: number;
  hold(content: Buffer): Held;
  holdFile(hostPath: string, bytes: number): Held;
  /** A path or the content itself. */
  read(held: Held): Buffer | { readonly path: string };
  release(held: Held): void;
  /** Is most of it asked for no more? */
  readonly isWasteful: boolean;
  /** Writes what is still asked for into a new file; returns where each is now. */
  compact(live: readonly Held[]): Map<Held, Held>;
  close(): void;
}

export function openHeldContents(folder: string): HeldContents {
  let open: { readonly path: string; readonly fd: number } | undefined;
  let end = 0;
  let files = 0;
  let fileBytes = 0;
  let waste = 0;

  function start() {
    const path = join(folder, `held-${randomBytes(8).toString('hex')}`);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    writeFileSync(join(path, 'owner'), `${JSON.stringify(thisProcess())}\n`);
    return { path, fd: openSync(join(path, 'contents'), 'wx+', 0o600) };
  }

  return {
    get bytes() {
      return end + fileBytes;
    },
    hold(content) {
      open ??= start();
      const held = { at: end, bytes: content.length };
      for (let at = 0; at < content.length; ) at += writeSync(open.fd, content, at, undefined, end + at);
      end += content.length;
      return held;
    },
    holdFile(hostPath, bytes) {
      open ??= start();
      const file = join(open.path, `file-${++files}`);
      copyFileSync(hostPath, file, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      fileBytes += bytes;
      return { file, bytes };
    },
    read(held) {
      if ('file' in held) return { path: held.file };
      if (!open) throw new TypeError('Nothing is held.');
      return readAtNow(open.fd, held.at, held.bytes);
    },
    release(held) {
      if (!('file' in held)) {
        waste += held.bytes;
        return;
      }
      rmSync(held.file, { force: true });
      fileBytes -= held.bytes;
    },
    get isWasteful() {
      return waste > wasteBytes && waste > end / 2;
    },
    compact(live) {
      const moved = new Map<Held, Held>();
      if (!open) return moved;
      const fresh = openSync(join(open.path, 'contents-new'), 'wx+', 0o600);
      let to = 0;
      for (const one of live) {
        if ('file' in one) continue;
        const content = readAtNow(open.fd, one.at, one.bytes);
        for (let at = 0; at < content.length; ) at += writeSync(fresh, content, at, undefined, to + at);
        moved.set(one, { at: to, bytes: one.bytes });
        to += one.bytes;
      }
      closeSync(open.fd);
      renameSync(join(open.path, 'contents-new'), join(open.path, 'contents'));
      open = { path: open.path, fd: fresh };
      end = to;
      waste = 0;
      return moved;
    },
    close() {
      if (!open) return;
      closeSync(open.fd);
      rmSync(open.path, { recursive: true, force: true });
      open = undefined;
    },
  };
}

/** Removes what killed processes held. */
export function sweepHeld(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const head = join(folder, name, 'owner');
    if (!name.startsWith('held-') || !existsSync(head)) continue;
    const who = owner.safeParse(parse(readFileSync(head, 'utf8')));
    if (who.success && !mayLive(who.data, head)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function parse(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    // Torn by a crash: whose it was is not known, so it stays.
    return undefined;
  }
}

const wasteBytes = 32 * 1024 * 1024;
