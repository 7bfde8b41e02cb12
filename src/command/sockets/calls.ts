import { Buffer } from 'node:buffer';
import { openPath } from '../../files/walk.ts';
import { syscallNumber } from '../../ground/syscalls.ts';
import type { Kernel } from '../seccomp/kernel.ts';

export interface WaitingCall {
  readonly id: bigint;
  readonly thread: number;
  readonly number: number;
  /** As in the kernel, 64 bits each. */
  readonly args: readonly bigint[];
}

/** The system calls of a supervisor. On failure they return the negated error number. */
export interface Calls {
  /** Takes the next call that a filter handed over. */
  take(listener: number): WaitingCall | undefined;
  /** Is it still waiting? If not, its thread is gone, and the number may be reused. */
  isWaiting(listener: number, id: bigint): boolean;
  /** 0 for success, otherwise a negated error number. */
  answer(listener: number, id: bigint, result: number): void;
  /** Makes the kernel perform the call. Safe only if a change of its arguments in memory does not matter. */
  letThrough(listener: number, id: bigint): void;
  /** Answers with a copy of our descriptor; returns a negative number if the caller could not get one. */
  give(listener: number, id: bigint, descriptor: number, closesOnExec: boolean): number;
  openThread(thread: number): number;
  /** Copies another process's descriptor for the same open file. */
  takeDescriptor(process: number, descriptor: number): number;
  /** Fills the buffer from a process's memory. */
  readMemory(thread: number, address: bigint, into: Buffer): number;
  /** Opens a path as a process with this root sees it, links included, with O_PATH. */
  openIn(root: number, path: Buffer): number;
  /** Does not block. */
  connect(socket: number, address: Buffer): number;
  /** Is the socket in blocking mode? */
  waits(socket: number): boolean;
  /** An option of SOL_SOCKET. */
  option(socket: number, name: number): number;
  socket(domain: number, type: number, protocol: number): number;
  send(socket: number, bytes: Buffer): number;
  /** Does not block. */
  receive(socket: number, into: Buffer): number;
}

export function createCalls({ syscall, addressOf, errno }: Kernel): Calls {
  const done = (result: number) => (result < 0 ? -errno() : result);
  return {
    take(listener) {
      const bytes = Buffer.alloc(80); // struct seccomp_notif
      if (syscall(syscallNumber('ioctl'), listener, receiveCall, bytes) < 0) return undefined;
      return {
        id: bytes.readBigUInt64LE(0),
        thread: bytes.readUInt32LE(8),
        number: bytes.readInt32LE(16),
        args: Array.from({ length: 6 }, (_, index) => bytes.readBigUInt64LE(32 + index * 8)),
      };
    },
    isWaiting(listener, id) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(id);
      return syscall(syscallNumber('ioctl'), listener, isValid, bytes) === 0;
    },
    answer(listener, id, result) {
      const bytes = Buffer.alloc(24); // struct seccomp_notif_resp
      bytes.writeBigUInt64LE(id, 0);
      bytes.writeInt32LE(result, 16);
      syscall(syscallNumber('ioctl'), listener, sendAnswer, bytes);
    },
    letThrough(listener, id) {
      const bytes = Buffer.alloc(24);
      bytes.writeBigUInt64LE(id, 0);
      bytes.writeUInt32LE(1, 20);
      syscall(syscallNumber('ioctl'), listener, sendAnswer, bytes);
    },
    give(listener, id, descriptor, closesOnExec) {
      const bytes = Buffer.alloc(24); // struct seccomp_notif_addfd
      bytes.writeBigUInt64LE(id, 0);
      bytes.writeUInt32LE(2, 8); // and answers
      bytes.writeUInt32LE(descriptor, 12);
      bytes.writeUInt32LE(closesOnExec ? closeOnExec : 0, 20);
      return done(syscall(syscallNumber('ioctl'), listener, addDescriptor, bytes));
    },
    openThread: (thread) => done(syscall(syscallNumber('pidfd_open'), thread, anyThread)),
    takeDescriptor: (process, descriptor) =>
      done(syscall(syscallNumber('pidfd_getfd'), process, descriptor, 0)),
    readMemory(thread, address, into) {
      if (into.length === 0) return 0;
      const vectors = Buffer.alloc(32);
      vectors.writeBigUInt64LE(addressOf(into), 0);
      vectors.writeBigUInt64LE(BigInt(into.length), 8);
      vectors.writeBigUInt64LE(address, 16);
      vectors.writeBigUInt64LE(BigInt(into.length), 24);
      const [local, remote] = [vectors.subarray(0, 16), vectors.subarray(16)];
      return done(syscall(syscallNumber('process_vm_readv'), thread, local, 1, remote, 1, 0));
    },
    openIn(root, path) {
      const how = Buffer.alloc(24); // struct open_how
      how.writeBigUInt64LE(BigInt(openPath | closeOnExec), 0);
      how.writeBigUInt64LE(BigInt(inRoot | noMagicLinks), 16);
      return done(
        syscall(syscallNumber('openat2'), root, Buffer.concat([path, Buffer.alloc(1)]), how, how.length),
      );
    },
    connect(socket, address) {
      const flags = syscall(syscallNumber('fcntl'), socket, getFlags, 0);
      const waits = (flags & nonBlocking) === 0;
      if (waits) syscall(syscallNumber('fcntl'), socket, setFlags, flags | nonBlocking);
      const result = done(syscall(syscallNumber('connect'), socket, address, address.length));
      if (waits) syscall(syscallNumber('fcntl'), socket, setFlags, flags);
      return result;
    },
    waits: (socket) => (syscall(syscallNumber('fcntl'), socket, getFlags, 0) & nonBlocking) === 0,
    option(socket, name) {
      const value = Buffer.alloc(4);
      const length = Buffer.from([4, 0, 0, 0]);
      const result = done(syscall(syscallNumber('getsockopt'), socket, 1, name, value, length));
      return result < 0 ? result : value.readInt32LE(0);
    },
    socket: (domain, type, protocol) => done(syscall(syscallNumber('socket'), domain, type, protocol)),
    send: (socket, bytes) => done(syscall(syscallNumber('sendto'), socket, bytes, bytes.length, 0, 0, 0)),
    receive: (socket, into) =>
      done(syscall(syscallNumber('recvfrom'), socket, into, into.length, dontWait, 0, 0)),
  };
}

const receiveCall = 0xc0502100;
const sendAnswer = 0xc0182101;
const addDescriptor = 0x40182103;
const isValid = 0x40082102;
/** PIDFD_THREAD: the thread need not be the first of its process. */
const anyThread = 0o200;
const closeOnExec = 0o2000000;
const noMagicLinks = 2;
const inRoot = 16;
const getFlags = 3;
const setFlags = 4;
const nonBlocking = 0o4000;
const dontWait = 0x40;
