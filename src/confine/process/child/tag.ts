import { Buffer } from 'node:buffer';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { syscallNumber } from '../../../ground/syscalls.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import { taggedLimit } from '../seccomp/seccomp.ts';

/**
 * A tag that a command's processes inherit and cannot remove: a number in a limit that affects only real-time programs.
 * It finds processes that left their group, session and parent and cleared their environment.
 */
export function createTag(): number {
  return 2 ** 47 + randomInt(2 ** 47);
}

/** Tags a process right after its start, before it can start others. */
export function applyTag({ syscall }: Kernel, pid: number, tag: number): boolean {
  const limit = Buffer.alloc(16);
  limit.writeBigUInt64LE(BigInt(tag), 0);
  limit.writeBigUInt64LE(BigInt(tag), 8);
  return syscall(syscallNumber('prlimit64'), pid, taggedLimit, limit, 0) === 0;
}

export function hasTag(pid: number, tag: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/limits`, 'latin1').includes(` ${tag} `);
  } catch {
    return false;
  }
}
