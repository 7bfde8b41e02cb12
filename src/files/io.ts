import {
  close as closeCallback,
  fsync as fsyncCallback,
  read as readCallback,
  readSync,
  write as writeCallback,
  writeSync,
} from 'node:fs';

/** Up to this size a synchronous call is faster than a thread, and blocks only briefly. */
const briefBytes = 256 * 1024;
const chunkBytes = 1024 * 1024;

/** Reads at most `maxBytes` from `position`; fewer only at the end of the file. */
export async function readAt(
  fd: number,
  position: number,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Buffer> {
  if (maxBytes <= briefBytes) return readAtNow(fd, position, maxBytes);
  const buffer = Buffer.allocUnsafe(maxBytes);
  let length = 0;
  while (length < maxBytes) {
    signal?.throwIfAborted();
    const count = await readInto(
      fd,
      buffer,
      length,
      Math.min(chunkBytes * 8, maxBytes - length),
      position + length,
    );
    if (count === 0) break;
    length += count;
  }
  return buffer.subarray(0, length);
}

/** The same, synchronously; for small amounts. */
export function readAtNow(fd: number, position: number, maxBytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(maxBytes);
  let length = 0;
  while (length < maxBytes) {
    const wanted = maxBytes - length;
    const count = readSync(fd, buffer, length, wanted, position + length);
    length += count;
    // A regular file returns less only at its end; the kernel's limit per read is 2 GiB.
    if (count === 0 || (count < wanted && wanted < 2 ** 30)) break;
  }
  return buffer.subarray(0, length);
}

export function readInto(
  fd: number,
  buffer: Uint8Array,
  offset: number,
  length: number,
  position: number,
): Promise<number> {
  return new Promise((resolve, reject) => {
    readCallback(fd, buffer, offset, length, position, (error, count) =>
      error ? reject(error) : resolve(count),
    );
  });
}

/** Writes all of `bytes` at the descriptor's position. */
export async function writeAll(fd: number, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
  let offset = 0;
  while (offset < bytes.length) {
    signal?.throwIfAborted();
    const length = Math.min(chunkBytes, bytes.length - offset);
    offset +=
      length <= briefBytes
        ? writeSync(fd, bytes, offset, length)
        : await writeFrom(fd, bytes, offset, length);
  }
}

function writeFrom(fd: number, bytes: Uint8Array, offset: number, length: number): Promise<number> {
  return new Promise((resolve, reject) => {
    writeCallback(fd, bytes, offset, length, null, (error, count) =>
      error ? reject(error) : resolve(count),
    );
  });
}

/** Waits for the disk in a thread, because that may take long. */
export function fsync(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsyncCallback(fd, (error) => (error ? reject(error) : resolve()));
  });
}

/** Closes a descriptor in a thread: the last one of a replaced file frees its blocks, which may take milliseconds. */
export function closeInBackground(fd: number): void {
  closeCallback(fd, () => {});
}
