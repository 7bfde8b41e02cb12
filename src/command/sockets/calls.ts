import { constants as os } from 'node:os';
import { closeOnExec } from '../../ground/machine/syscalls.ts';
import type { Kernel } from '../seccomp/kernel.ts';

export interface WaitingCall {
  readonly id: bigint;
  readonly thread: number;
  readonly number: number;
  /** As in the kernel, 64 bits each. */
  readonly args: BigUint64Array;
}

/** The system calls of a supervisor. On failure they return the negated error number. */
export type Calls = ReturnType<typeof createCalls>;

export function createCalls({ syscall, addressOf, errno }: Kernel) {
  const done = (result: number) => (result < 0 ? -errno() : result);
  // Each call fills these anew: they live for one system call. None is of the shared pool.
  const scratch = Buffer.alloc(80);
  const vectors = Buffer.alloc(32);
  const page = Buffer.alloc(pageBytes);
  const pageAt = addressOf(page);
  const readTo = (local: bigint, thread: number, address: bigint, bytes: number) => {
    vectors.writeBigUInt64LE(local, 0);
    vectors.writeBigUInt64LE(BigInt(bytes), 8);
    vectors.writeBigUInt64LE(address, 16);
    vectors.writeBigUInt64LE(BigInt(bytes), 24);
    return done(syscall('process_vm_readv', thread, vectors, 1, remote, 1, 0));
  };
  const remote = vectors.subarray(16);
  const control = (listener: number, request: number, id: bigint) => {
    scratch.writeBigUInt64LE(id, 0);
    return done(syscall('ioctl', listener, request, scratch));
  };
  return {
    /** Takes the next call that a filter handed over (struct seccomp_notif). */
    take(listener: number): WaitingCall | undefined {
      scratch.fill(0);
      if (control(listener, receiveCall, 0n) < 0) return undefined;
      return {
        id: scratch.readBigUInt64LE(0),
        thread: scratch.readUInt32LE(8),
        number: scratch.readInt32LE(16),
        args: new BigUint64Array(scratch.buffer.slice(32, 80)),
      };
    },
    /** Is it still waiting? If not, its thread is gone, and the number may be reused. */
    isWaiting: (listener: number, id: bigint) => control(listener, isValid, id) === 0,
    /** 0 for success, otherwise a negated error number (struct seccomp_notif_resp). */
    answer(listener: number, id: bigint, result: number): void {
      scratch.fill(0).writeInt32LE(result, 16);
      control(listener, sendAnswer, id);
    },
    /** Makes the kernel perform the call. Safe only if a change of its arguments in memory does not matter. */
    letThrough(listener: number, id: bigint): void {
      scratch.fill(0).writeUInt32LE(1, 20);
      control(listener, sendAnswer, id);
    },
    /** Answers with a copy of our descriptor (struct seccomp_notif_addfd); negative: the caller could not get one. */
    give(listener: number, id: bigint, descriptor: number, closesOnExec: boolean): number {
      scratch.fill(0).writeUInt32LE(2, 8); // and answers
      scratch.writeUInt32LE(descriptor, 12);
      scratch.writeUInt32LE(closesOnExec ? closeOnExec : 0, 20);
      return control(listener, addDescriptor, id);
    },
    openThread: (thread: number) => done(syscall('pidfd_open', thread, anyThread)),
    /** Copies another process's descriptor for the same open file. */
    takeDescriptor: (process: number, descriptor: number) =>
      done(syscall('pidfd_getfd', process, descriptor, 0)),
    /** Fills the buffer from a process's memory. */
    readMemory: (thread: number, address: bigint, into: Buffer) =>
      into.length === 0 ? 0 : readTo(addressOf(into), thread, address, into.length),
    /** A process's memory up to the end of the page, and to a limit. It holds until the next call. */
    readPage(thread: number, address: bigint, mostBytes: number): Buffer {
      // The next page may not be mapped.
      const bytes = Math.min(mostBytes, pageBytes - Number(address % BigInt(pageBytes)));
      return page.subarray(0, Math.max(readTo(pageAt, thread, address, bytes), 0));
    },
    /** The text of a path, read once; or a negated error number. */
    readPath(thread: number, address: bigint): Buffer | number {
      let read = Buffer.alloc(0);
      while (read.length < maxPath) {
        const piece = this.readPage(thread, address + BigInt(read.length), maxPath - read.length);
        if (piece.length === 0) return -os.errno.EFAULT;
        const end = piece.indexOf(0);
        read = Buffer.concat([read, end < 0 ? piece : piece.subarray(0, end)]);
        if (end >= 0) return read;
      }
      return -os.errno.ENAMETOOLONG;
    },
    /** Opens a path below an open folder, as openat2(2). */
    openIn(folder: number, path: Buffer, flags: number, resolve: number): number {
      const how = vectors.fill(0).subarray(0, 24); // struct open_how
      how.writeBigUInt64LE(BigInt(flags), 0);
      how.writeBigUInt64LE(BigInt(resolve), 16);
      const text = Buffer.concat([path, Buffer.alloc(1)]);
      return done(syscall('openat2', folder, text, how, how.length));
    },
    /** Does not block. */
    connect(socket: number, address: Buffer): number {
      const flags = syscall('fcntl', socket, getFlags, 0);
      const waits = (flags & nonBlocking) === 0;
      if (waits) syscall('fcntl', socket, setFlags, flags | nonBlocking);
      const result = done(syscall('connect', socket, address, address.length));
      if (waits) syscall('fcntl', socket, setFlags, flags);
      return result;
    },
    /** Is the socket in blocking mode? */
    waits: (socket: number) => (syscall('fcntl', socket, getFlags, 0) & nonBlocking) === 0,
    /** An option of SOL_SOCKET. */
    option(socket: number, name: number): number {
      const value = Buffer.alloc(4);
      const length = Buffer.from([4, 0, 0, 0]);
      const result = done(syscall('getsockopt', socket, 1, name, value, length));
      return result < 0 ? result : value.readInt32LE(0);
    },
    socket: (domain: number, type: number, protocol: number) =>
      done(syscall('socket', domain, type, protocol)),
    send: (socket: number, bytes: Buffer) => done(syscall('sendto', socket, bytes, bytes.length, 0, 0, 0)),
    /** Does not block. */
    receive: (socket: number, into: Buffer) =>
      done(syscall('recvfrom', socket, into, into.length, dontWait, 0, 0)),
  };
}

/** Restrictions of openat2(2) on a path. */
export const resolve = { noMagicLinks: 2, noLinks: 4, beneath: 8, inRoot: 16 };

const receiveCall = 0xc0502100;
const sendAnswer = 0xc0182101;
const addDescriptor = 0x40182103;
const isValid = 0x40082102;
/** PIDFD_THREAD: the thread need not be the first of its process. */
const anyThread = 0o200;
const pageBytes = 4096;
const maxPath = 4096;
const getFlags = 3;
const setFlags = 4;
const nonBlocking = 0o4000;
const dontWait = 0x40;
