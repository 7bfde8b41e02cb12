import { fstatSync, statfsSync } from 'node:fs';
import type { Calls } from './calls.ts';

/**
 * Does a socket of this network namespace listen at the file of this descriptor? The kernel itself tells: by any path,
 * the file belongs to one socket while it exists. `diagnosis` was opened in the namespace.
 */
export function listensAt(calls: Calls, diagnosis: number, file: number): boolean {
  const place = placeOf(file);
  return place !== undefined && listening(calls, diagnosis).has(place);
}

/** Device and inode of a file, as the kernel reports them for sockets: 32 bits each. */
function placeOf(file: number): string | undefined {
  const { dev, ino } = fstatSync(file, { bigint: true });
  if (ino >= 2n ** 32n || !countsIn32Bits(file)) return undefined;
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & 0xfffff000n);
  const minor = (dev & 0xffn) | ((dev >> 12n) & 0xffffff00n);
  return `${(major << 20n) | minor}:${ino}`;
}

/** With larger inode numbers, another file's could look the same in 32 bits. */
function countsIn32Bits(file: number): boolean {
  const { type, blocks, bsize } = statfsSync(`/proc/self/fd/${file}`);
  if (smallNumbers.has(type)) return true;
  // The inode numbers grow with the size of the file system.
  return growingNumbers.has(type) && blocks * bsize < 2 ** 40;
}

// tmpfs, ext2 to ext4, F2FS.
const smallNumbers: ReadonlySet<number> = new Set([0x01021994, 0xef53, 0xf2f52010]);
// XFS, and overlayfs, which uses another file system.
const growingNumbers: ReadonlySet<number> = new Set([0x58465342, 0x794c7630]);

/** Requests all sockets that listen at a path (struct unix_diag_req). */
function listening({ send, receive }: Calls, diagnosis: number): ReadonlySet<string> {
  const request = Buffer.alloc(40);
  request.writeUInt32LE(request.length, 0);
  request.writeUInt16LE(20, 4); // SOCK_DIAG_BY_FAMILY
  request.writeUInt16LE(0x301, 6); // a request for all
  request.writeUInt8(1, 16); // AF_UNIX
  request.writeUInt32LE(1 << 10, 20); // in the state TCP_LISTEN
  request.writeUInt32LE(2, 28); // UDIAG_SHOW_VFS
  const found = new Set<string>();
  if (send(diagnosis, request) < 0) return found;
  const answer = Buffer.alloc(32_768);
  for (let bytes = receive(diagnosis, answer); bytes > 0; bytes = receive(diagnosis, answer)) {
    if (addPlaces(answer.subarray(0, bytes), found)) break;
  }
  return found;
}

/** Reads netlink messages. Returns true if the last one is among them. */
function addPlaces(answer: Buffer, found: Set<string>): boolean {
  for (let at = 0; at + 16 <= answer.length; at += align(answer.readUInt32LE(at))) {
    const end = at + answer.readUInt32LE(at);
    if (answer.readUInt16LE(at + 4) !== 20) return true; // NLMSG_DONE, or an error
    // Attributes follow the two headers: length, type, value.
    for (let attribute = at + 32; attribute + 4 <= end; attribute += align(answer.readUInt16LE(attribute))) {
      if (answer.readUInt16LE(attribute + 2) !== 1) continue; // UNIX_DIAG_VFS: number, device
      found.add(`${answer.readUInt32LE(attribute + 8)}:${answer.readUInt32LE(attribute + 4)}`);
    }
  }
  return false;
}

function align(length: number): number {
  return Math.max(4, (length + 3) & ~3);
}
