import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { orElse } from '../../ground/or-else.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import { taggedLimit } from '../seccomp/seccomp.ts';

/**
 * A tag that a command's processes inherit and cannot remove: a number in a limit that affects only real-time programs.
 * It finds processes that left their group, session and parent and cleared their environment.
 */
export function createTag(): number {
  return 2 ** 47 + randomInt(2 ** 47);
}

/** Tags a process right after its start, before it can start others. It keeps the tag of the server that started it. */
export function applyTag(kernel: Kernel, pid: number, tag: number): boolean {
  const { soft } = limitOf(kernel);
  return setLimit(kernel, pid, { soft: soft < BigInt(tag) ? soft : BigInt(tag), hard: BigInt(tag) });
}

/**
 * Tags this process with a number that everything it starts inherits; its place in the limit is another than that of a
 * command's tag. Undefined if the kernel refuses that, as it does below a command of another server.
 */
export function tagServer(kernel: Kernel): number | undefined {
  const tag = serverTags + process.pid * perServer + randomInt(perServer);
  return setLimit(kernel, 0, { ...limitOf(kernel), soft: BigInt(tag) }) ? tag : undefined;
}

/** Did this process tag itself? A tag of the process that started it is another. */
export function isTaggedServer(kernel: Kernel): boolean {
  return Math.floor((Number(limitOf(kernel).soft) - serverTags) / perServer) === process.pid;
}

export function hasTag(pid: number, tag: number): boolean {
  return orElse(() => readFileSync(`/proc/${pid}/limits`, 'latin1').includes(` ${tag} `), false);
}

interface Limit {
  readonly soft: bigint;
  readonly hard: bigint;
}

function limitOf({ syscall }: Kernel): Limit {
  const limit = Buffer.alloc(16);
  syscall('prlimit64', 0, taggedLimit, null, limit);
  return { soft: limit.readBigUInt64LE(0), hard: limit.readBigUInt64LE(8) };
}

function setLimit({ syscall }: Kernel, pid: number, { soft, hard }: Limit): boolean {
  const limit = Buffer.alloc(16);
  limit.writeBigUInt64LE(soft, 0);
  limit.writeBigUInt64LE(hard, 8);
  return syscall('prlimit64', pid, taggedLimit, limit, null) === 0;
}

/** Below those of commands. Process numbers have 22 bits. */
const serverTags = 2 ** 45;
const perServer = 2 ** 20;
