import type { Buffer } from 'node:buffer';
import { execFile } from 'node:child_process';
import { createHash, hash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants as zlib, zstdCompress, zstdDecompressSync } from 'node:zlib';
import { fsync } from '../files/io.ts';
import { errnoCode } from '../ground/errors/errno-code.ts';

/** Contents by their SHA-256, each stored once, whole or not at all. */
export interface Blobs {
  /** Keeps these bytes. `durable` resolves when they are safe from a power cut. */
  put(bytes: Uint8Array): { readonly digest: string; readonly durable: Promise<void> };
  /** Keeps these bytes, one content of very many: safe from a power cut once `sync` has resolved. */
  putUnsynced(bytes: Uint8Array): string;
  /** Waits for the disk once, however many were put. */
  sync(): Promise<void>;
  /** Keeps a file's content without reading it into memory; as a clone if the file system can. */
  putFile(hostPath: string): Promise<string>;
  has(digest: string): boolean;
  /** The content, checked against its digest; undefined if it is no longer kept. */
  read(digest: string): Buffer | undefined;
  /** The content in parts, unchecked. */
  parts(digest: string): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** All contents, with their size on disk and their age. */
  all(): {
    readonly digest: string;
    readonly bytes: number;
    readonly modifiedMs: number;
    readonly isCompressed: boolean;
  }[];
  /** Compresses a kept content; not done by `put`, because a call waits for that. */
  compress(digest: string): Promise<void>;
  /** Removes a content, unless it was used after that time. */
  remove(digest: string, unlessAfterMs: number): void;
}

export function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** Opens the contents in a folder outside the workspace; the first content creates the folder. */
export function openBlobs(folder: string): Blobs {
  const made = new Set<string>();

  function pathOf(digest: string): string {
    return join(folder, digest.slice(0, shelfChars), digest.slice(shelfChars));
  }

  function shelf(digest: string): string {
    const path = join(folder, digest.slice(0, shelfChars));
    if (!made.has(path)) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      made.add(path);
    }
    return path;
  }

  /** Returns the open file under its final name; undefined if the content was kept already. */
  function write(bytes: Uint8Array, digest: string): number | undefined {
    const path = pathOf(digest);
    if (isKept(path)) {
      // Another server may be about to prune it as unused.
      renew(path);
      if (isKept(path)) return undefined;
    }
    const temporary = join(shelf(digest), temporaryName());
    const fd = openSync(temporary, 'wx', 0o600);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      renameSync(temporary, path);
      return fd;
    } catch (error) {
      closeSync(fd);
      unlinkQuietly(temporary);
      throw error;
    }
  }

  return {
    put(bytes) {
      const digest = digestOf(bytes);
      const fd = write(bytes, digest);
      if (fd === undefined) return { digest, durable: Promise.resolve() };
      const durable = fsync(fd).finally(() => closeSync(fd));
      // Awaited before the change is acknowledged; this only prevents an unhandled rejection.
      durable.catch(() => {});
      return { digest, durable };
    },
    putUnsynced(bytes) {
      const digest = digestOf(bytes);
      const fd = write(bytes, digest);
      if (fd !== undefined) closeSync(fd);
      return digest;
    },
    async sync() {
      // Node does not offer syncfs(2).
      await run('sync', ['-f', folder]);
    },
    async putFile(hostPath) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const temporary = join(folder, temporaryName());
      try {
        copyFileSync(hostPath, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
        const hash = createHash('sha256');
        for await (const chunk of createReadStream(temporary)) hash.update(chunk);
        const digest = hash.digest('hex');
        const fd = openSync(temporary, 'r');
        try {
          await fsync(fd);
        } finally {
          closeSync(fd);
        }
        shelf(digest);
        renameSync(temporary, pathOf(digest));
        return digest;
      } catch (error) {
        unlinkQuietly(temporary);
        throw error;
      }
    },
    has: (digest) => isKept(pathOf(digest)),
    read(digest) {
      const path = pathOf(digest);
      const packed = readIfThere(`${path}${suffix}`);
      const bytes = packed ? zstdDecompressSync(packed) : readIfThere(path);
      return bytes && digestOf(bytes) === digest ? bytes : undefined;
    },
    parts(digest) {
      const path = pathOf(digest);
      const packed = readIfThere(`${path}${suffix}`);
      return packed ? [zstdDecompressSync(packed)] : createReadStream(path);
    },
    all() {
      const found = [];
      for (const prefix of existsSync(folder) ? readdirSync(folder) : []) {
        if (!/^[0-9a-f]$/.test(prefix)) continue;
        for (const name of readdirSync(join(folder, prefix))) {
          const stat = statSync(join(folder, prefix, name), { throwIfNoEntry: false });
          if (!stat || name.startsWith('.')) continue;
          const isCompressed = name.endsWith(suffix);
          const digest = prefix + (isCompressed ? name.slice(0, -suffix.length) : name);
          found.push({ digest, bytes: stat.size, modifiedMs: stat.mtimeMs, isCompressed });
        }
      }
      return found;
    },
    async compress(digest) {
      const path = pathOf(digest);
      const bytes = readIfThere(path);
      if (!bytes) return;
      const packed = await pack(bytes, { params: { [zlib.ZSTD_c_compressionLevel]: 3 } });
      const temporary = join(shelf(digest), temporaryName());
      const fd = openSync(temporary, 'wx', 0o600);
      try {
        for (let at = 0; at < packed.length; ) at += writeSync(fd, packed, at);
        await fsync(fd);
        // At each moment at least one of the two names exists.
        renameSync(temporary, `${path}${suffix}`);
        unlinkQuietly(path);
      } catch (error) {
        unlinkQuietly(temporary);
        throw error;
      } finally {
        closeSync(fd);
      }
    },
    remove(digest, unlessAfterMs) {
      for (const path of [pathOf(digest), `${pathOf(digest)}${suffix}`]) {
        const stat = statSync(path, { throwIfNoEntry: false });
        if (stat && stat.mtimeMs <= unlessAfterMs) unlinkQuietly(path);
      }
    },
  };
}

function renew(path: string): void {
  const now = new Date();
  for (const each of [path, `${path}${suffix}`]) {
    try {
      utimesSync(each, now, now);
    } catch {
      // The file has the other name now, or is gone: look again.
    }
  }
}

function isKept(path: string): boolean {
  return existsSync(path) || existsSync(`${path}${suffix}`);
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (errnoCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function temporaryName(): string {
  return `.new-${randomUUID()}`;
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone already, or the next pruning removes it.
  }
}

const pack = promisify(zstdCompress);
const run = promisify(execFile);
const suffix = '.zst';
/** Few folders: with many, nearly each early change would wait for a new one as long as for the content's own file. */
const shelfChars = 1;
