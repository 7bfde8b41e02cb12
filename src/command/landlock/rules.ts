import { closeSync, constants, openSync } from 'node:fs';
import { openPath as pathOnly } from '../../files/walk.ts';
import { orElse } from '../../ground/or-else.ts';
import { defer } from '../../ground/waiting/defer.ts';
import type { Kernel } from '../seccomp/kernel.ts';

/** The rights of a thread and everything that it starts. */
export interface ThreadWalls {
  readonly readable: readonly string[];
  /** Folders whose entries may be listed, at any depth, but not read. */
  readonly listable: readonly string[];
  readonly writable: readonly string[];
  /** Devices: read and write, but create nothing. */
  readonly devices: readonly string[];
  /** The system call filter's bytes. */
  readonly filter: Uint8Array;
}

/** The kernel's Landlock version; 0 without Landlock. */
export function landlockVersion({ syscall }: Kernel): number {
  return Math.max(0, syscall(createRuleset, null, 0, 1));
}

/** Landlock 3 can restrict truncation; since 6 it restricts signals, so that the filter need not. */
const minLandlockVersion = 3;
export const signalsLandlockVersion = 6;

/** Restricts the calling thread for good. Throws if a restriction fails: the thread must then start nothing. */
export function confineThread(kernel: Kernel, walls: ThreadWalls): void {
  const { syscall } = kernel;
  const prctl = (option: number, ...args: number[]) =>
    syscall('prctl', option, ...args, ...[0, 0, 0, 0].slice(args.length));
  assertDone(prctl(38, 1), 'no_new_privs');
  // Dropping needs a capability; without it (not root) there are none to drop.
  for (let capability = 0; capability < 64; capability++) prctl(24, capability);
  prctl(47, 4);
  const header = Buffer.alloc(8);
  header.writeUInt32LE(0x20080522, 0);
  assertDone(syscall('capset', header, Buffer.alloc(24)), 'capset');
  restrictFiles(kernel, walls);
  const program = Buffer.alloc(16);
  program.writeUInt16LE(walls.filter.length / 8, 0);
  program.writeBigUInt64LE(kernel.addressOf(walls.filter), 8);
  assertDone(syscall('seccomp', 1, 0, program), 'seccomp');
}

function restrictFiles(kernel: Kernel, { readable, listable, writable, devices }: ThreadWalls): void {
  const { syscall } = kernel;
  const version = landlockVersion(kernel);
  if (version < minLandlockVersion)
    throw new Error(
      version === 0
        ? 'this kernel has no Landlock, or this container may not use it'
        : `Landlock version ${version} is too old`,
    );
  const handled = version >= 5 ? 0xffffn : 0x7fffn;
  const attributes = Buffer.alloc(24);
  attributes.writeBigUInt64LE(handled, 0);
  attributes.writeBigUInt64LE(version >= 4 ? 3n : 0n, 8);
  attributes.writeBigUInt64LE(version >= 6 ? 3n : 0n, 16);
  const bytes = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  const ruleset = syscall(createRuleset, attributes, bytes, 0);
  assertDone(ruleset, 'landlock_create_ruleset');
  using _ = defer(() => closeSync(ruleset));
  for (const path of readable) allow(kernel, ruleset, path, readRights);
  for (const path of listable) allow(kernel, ruleset, path, listRights);
  for (const path of devices) allow(kernel, ruleset, path, deviceRights & handled);
  for (const path of writable) allow(kernel, ruleset, path, handled & ~madeDevices);
  assertDone(syscall(446, ruleset, 0), 'landlock_restrict_self');
}

/** Grants rights below a path. A missing path grants nothing. */
function allow({ syscall }: Kernel, ruleset: number, path: string, rights: bigint): void {
  const fd = orElse(() => openSync(path, pathOnly | constants.O_RDONLY), undefined);
  if (fd === undefined) return;
  using _ = defer(() => closeSync(fd));
  const rule = Buffer.alloc(12);
  rule.writeInt32LE(fd, 8);
  rule.writeBigUInt64LE(rights, 0);
  if (syscall(addRule, ruleset, 1, rule, 0) === 0) return;
  // The rule on a file may only have file rights, and at least one.
  if ((rights & fileRights) === 0n) return;
  rule.writeBigUInt64LE(rights & fileRights, 0);
  assertDone(syscall(addRule, ruleset, 1, rule, 0), `landlock_add_rule ${path}`);
}

function assertDone(result: number, what: string): void {
  if (result < 0) throw new Error(`${what} was refused by the kernel`);
}

const createRuleset = 444;
const addRule = 445;
// Execute, read a file, read a folder.
const readRights = 0b1101n;
const listRights = 0b1000n;
// Read and write a file, ioctl of a device.
const deviceRights = (1n << 1n) | (1n << 2n) | (1n << 15n);
// Character and block devices.
const madeDevices = (1n << 6n) | (1n << 11n);
// Execute, write, read, truncate, ioctl: the rights that a rule on a file may have.
const fileRights = 0b111n | (1n << 14n) | (1n << 15n);
