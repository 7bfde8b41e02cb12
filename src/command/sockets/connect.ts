import { closeSync, openSync, readFileSync, readlinkSync, statfsSync } from 'node:fs';
import { constants as os } from 'node:os';
import { openPath } from '../../files/walk.ts';
import { closeOnExec } from '../../ground/machine/syscalls.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { type Calls, resolve, type WaitingCall } from './calls.ts';
import { listensAt } from './listening.ts';

/** The origin of a supervised connect(2). */
export interface Origin {
  readonly listener: number;
  /** Reports the sockets in the command's network namespace. */
  readonly diagnosis: number;
  /** The same for the server's network namespace. */
  readonly outside: number;
}

/** A pending connection of the command, with its open descriptors. */
export interface Attempt {
  /** Tries once; undefined if it is still pending. */
  again(): number | undefined;
  close(): void;
}

/**
 * Makes a command's connection on its own socket, to the address as it was read once: a later change of the memory has
 * no effect. By a path, a command reaches only listeners of its own network namespace. Returns the result, or a pending
 * attempt.
 */
export function connectFor(calls: Calls, call: WaitingCall, origin: Origin): number | Attempt {
  const held: number[] = [];
  const close = () => {
    for (const fd of held.splice(0)) closeSync(fd);
  };
  const hold = (fd: number) => {
    if (fd >= 0) held.push(fd);
    return fd;
  };
  using _ = defer(() => close());
  const process = hold(openProcess(calls, call.thread));
  if (process < 0) return process;
  const [descriptor = 0n, address = 0n, bytes = 0n] = call.args;
  const addressBytes = Number(BigInt.asIntN(32, bytes));
  if (addressBytes < 0 || addressBytes > maxAddressBytes) return -os.errno.EINVAL;
  const socket = hold(calls.takeDescriptor(process, Number(BigInt.asIntN(32, descriptor))));
  if (socket < 0) return socket;
  const given = Buffer.alloc(addressBytes);
  if (calls.readMemory(call.thread, address, given) !== given.length) return -os.errno.EFAULT;
  // Only now is it certain that the descriptors belong to the caller.
  if (!calls.isWaiting(origin.listener, call.id)) return -os.errno.ENOENT;
  const reached = addressFor(calls, { call, origin, socket, given, hold });
  if (typeof reached === 'number') return reached;
  const waits = calls.waits(socket);
  let began = false;
  const again = () => {
    const result = calls.connect(socket, reached);
    if (!waits) return result;
    if (unfinished.has(result)) {
      began = true;
      return undefined;
    }
    return began && result === -os.errno.EISCONN ? 0 : result;
  };
  const first = again();
  if (first !== undefined) return first;
  return { again, close: closeAll(held.splice(0)) };
}

function closeAll(fds: readonly number[]): () => void {
  return () => {
    for (const fd of fds) closeSync(fd);
  };
}

interface Asked {
  readonly call: WaitingCall;
  readonly origin: Origin;
  readonly socket: number;
  readonly given: Buffer;
  readonly hold: (fd: number) => number;
}

/** The address to connect to, or the error. */
function addressFor(calls: Calls, { call, origin, socket, given, hold }: Asked): Buffer | number {
  const domain = calls.option(socket, SO_DOMAIN);
  if (domain < 0) return domain;
  // The namespace has no connection to the outside.
  if (domain === AF_INET || domain === AF_INET6) return given;
  if (domain !== AF_UNIX || calls.option(socket, SO_TYPE) === SOCK_DGRAM) return -os.errno.EACCES;
  const path = pathOf(given);
  // Abstract names belong to the socket's namespace; the kernel refuses all other addresses.
  if (!path) return given;
  const root = hold(openSync(`/proc/${call.thread}/root`, openPath));
  const file = hold(openIn(calls, root, fromRoot(path, call.thread)));
  if (file < 0) return file;
  const files = [file, hold(belowLayer(calls, file))].filter((fd) => fd >= 0);
  const own = files.find((fd) => listensAt(calls, origin.diagnosis, fd));
  if (own !== undefined) return addressOf(`/proc/self/fd/${own}`);
  // Without a listener, an own socket file and a foreign one look the same.
  return files.some((fd) => listensAt(calls, origin.outside, fd)) ? -os.errno.EACCES : -os.errno.ECONNREFUSED;
}

/** As a process with this root sees it, links included. */
function openIn(calls: Calls, root: number, path: Buffer): number {
  return calls.openIn(root, path, openPath | closeOnExec, resolve.inRoot | resolve.noMagicLinks);
}

/** On a layer, an older socket's file is another inode: find the path without the layer. */
function belowLayer(calls: Calls, file: number): number {
  const path = `/proc/self/fd/${file}`;
  if (statfsSync(path).type !== overlay) return -os.errno.ENOENT;
  const root = openSync('/', openPath);
  using _ = defer(() => closeSync(root));
  return openIn(calls, root, readlinkSync(path, 'buffer'));
}

/** Older kernels accept only the first thread of a process, which shares its descriptors with all threads. */
function openProcess({ openThread }: Calls, thread: number): number {
  const opened = openThread(thread);
  if (opened !== -os.errno.EINVAL) return opened;
  const [, first] = /^Tgid:\s*(\d+)$/m.exec(readFileSync(`/proc/${thread}/status`, 'latin1')) ?? [];
  return first === undefined ? opened : openThread(Number(first));
}

function pathOf(address: Buffer): Buffer | undefined {
  if (address.length <= 2 || address.length > unixAddressBytes) return undefined;
  if (address.readUInt16LE(0) !== AF_UNIX || address.readUInt8(2) === 0) return undefined;
  const end = address.indexOf(0, 2);
  return address.subarray(2, end < 0 ? address.length : end);
}

/** The path that the command's current folder has below its root. */
function fromRoot(path: Buffer, thread: number): Buffer {
  if (path[0] === slash) return path;
  return Buffer.concat([readlinkSync(`/proc/${thread}/cwd`, 'buffer'), Buffer.from('/'), path]);
}

function addressOf(path: string): Buffer {
  return Buffer.concat([Buffer.from([AF_UNIX, 0]), Buffer.from(`${path}\0`)]);
}

const slash = 0x2f;
const maxAddressBytes = 128;
const unixAddressBytes = 110;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_DGRAM = 2;
const overlay = 0x794c7630;
const SO_TYPE = 3;
const SO_DOMAIN = 39;
/** EAGAIN, EALREADY, EINPROGRESS. */
const unfinished: ReadonlySet<number> = new Set([-11, -114, -115]);
