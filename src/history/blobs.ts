import { execFile } from 'node:child_process';
import { createHash, hash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants as zlib, zstdCompress, zstdDecompressSync } from 'node:zlib';
import { unlinkQuietly } from '../files/changing/atomic.ts';
import { fsync } from '../files/io.ts';
import { withRights } from '../files/lent.ts';
import { errnoCode } from '../ground/errors/errno-code.ts';
import { orElse } from '../ground/or-else.ts';

/** The digest of a file of any size, without holding other work up. */
export async function digestOfFile(hostPath: string): Promise<string> {
  const sum = createHash('sha256');
  const fd = withRights(hostPath, () => openSync(hostPath, 'r'));
  for await (const chunk of createReadStream('', { fd })) sum.update(chunk);
  return sum.digest('hex');
}

/** Contents by their SHA-256, each stored once, whole or not at all, in a folder that the first one creates. */
export class Blobs {
  readonly #folder: string;
  readonly #made = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Keeps these bytes. `durable` resolves when they are safe from a power cut. */
  put(bytes: Uint8Array): { readonly digest: string; readonly durable: Promise<void> } {
    const digest = hash('sha256', bytes);
    const fd = this.#write(bytes, digest);
    if (fd === undefined) return { digest, durable: Promise.resolve() };
    const durable = fsync(fd).finally(() => closeSync(fd));
    // Awaited before the change is acknowledged; this only prevents an unhandled rejection.
    durable.catch(() => {});
    return { digest, durable };
  }

  /** Keeps these bytes, one content of very many: safe from a power cut once `sync` has resolved. */
  putUnsynced(bytes: Uint8Array): string {
    const digest = hash('sha256', bytes);
    const fd = this.#write(bytes, digest);
    if (fd !== undefined) closeSync(fd);
    return digest;
  }

  /** Waits for the disk once, however many were put. */
  async sync(): Promise<void> {
    // Node does not offer syncfs(2).
    await run('sync', ['-f', this.#folder]);
  }

  /** Keeps a file's content without reading it into memory; as a clone if the file system can. */
  async putFile(hostPath: string): Promise<string> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const temporary = join(this.#folder, temporaryName());
    try {
      const mode = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;
      const source = withRights(hostPath, () => openSync(hostPath, 'r'));
      await copyFile(`/proc/self/fd/${source}`, temporary, mode).finally(() => closeSync(source));
      // The copy has the mode of its source.
      chmodSync(temporary, 0o600);
      const digest = await digestOfFile(temporary);
      const fd = openSync(temporary, 'r');
      try {
        await fsync(fd);
      } finally {
        closeSync(fd);
      }
      this.#shelf(digest);
      renameSync(temporary, this.#pathOf(digest));
      return digest;
    } catch (error) {
      unlinkQuietly(temporary);
      throw error;
    }
  }

  has(digest: string): boolean {
    return isKept(this.#pathOf(digest));
  }

  /** The content, checked against its digest; undefined if it is no longer kept. */
  read(digest: string): Buffer | undefined {
    const path = this.#pathOf(digest);
    const packed = readIfThere(`${path}${suffix}`);
    const bytes = packed ? zstdDecompressSync(packed) : readIfThere(path);
    return bytes && hash('sha256', bytes) === digest ? bytes : undefined;
  }

  /** The content in parts, unchecked. */
  parts(digest: string): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
    const path = this.#pathOf(digest);
    const packed = readIfThere(`${path}${suffix}`);
    return packed ? [zstdDecompressSync(packed)] : createReadStream(path);
  }

  /** All contents, with their size on disk and their age. */
  all() {
    const found = [];
    for (const prefix of existsSync(this.#folder) ? readdirSync(this.#folder) : []) {
      if (!/^[0-9a-f]$/.test(prefix)) continue;
      for (const name of readdirSync(join(this.#folder, prefix))) {
        const stat = statSync(join(this.#folder, prefix, name), { throwIfNoEntry: false });
        if (!stat || name.startsWith('.')) continue;
        const isCompressed = name.endsWith(suffix);
        const digest = prefix + (isCompressed ? name.slice(0, -suffix.length) : name);
        found.push({ digest, bytes: stat.size, modifiedMs: stat.mtimeMs, isCompressed });
      }
    }
    return found;
  }

  /** Compresses a kept content; not done by `put`, because a call waits for that. */
  async compress(digest: string): Promise<void> {
    const path = this.#pathOf(digest);
    const bytes = readIfThere(path);
    if (!bytes) return;
    const packed = await pack(bytes, { params: { [zlib.ZSTD_c_compressionLevel]: 3 } });
    const temporary = join(this.#shelf(digest), temporaryName());
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
  }

  /** Removes a content, unless it was used after that time. */
  remove(digest: string, unlessAfterMs: number): void {
    for (const path of [this.#pathOf(digest), `${this.#pathOf(digest)}${suffix}`]) {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat && stat.mtimeMs <= unlessAfterMs) unlinkQuietly(path);
    }
  }

  #pathOf(digest: string): string {
    return join(this.#folder, digest.slice(0, shelfChars), digest.slice(shelfChars));
  }

  #shelf(digest: string): string {
    const path = join(this.#folder, digest.slice(0, shelfChars));
    if (!this.#made.has(path)) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      this.#made.add(path);
    }
    return path;
  }

  /** Returns the open file under its final name; undefined if the content was kept already. */
  #write(bytes: Uint8Array, digest: string): number | undefined {
    const path = this.#pathOf(digest);
    if (isKept(path)) {
      // Another server may be about to prune it as unused.
      renew(path);
      if (isKept(path)) return undefined;
    }
    const temporary = join(this.#shelf(digest), temporaryName());
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
}

function renew(path: string): void {
  const now = new Date();
  for (const each of [path, `${path}${suffix}`]) {
    // The file has the other name now, or is gone: look again.
    orElse(() => utimesSync(each, now, now), undefined);
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

const pack = promisify(zstdCompress);
const run = promisify(execFile);
const suffix = '.zst';
/** Few folders: with many, nearly each early change would wait for a new one as long as for the content's own file. */
const shelfChars = 1;
