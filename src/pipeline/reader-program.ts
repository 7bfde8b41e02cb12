import { Buffer } from 'node:buffer';
import { openMemoryProgram } from '../command/child/memory-program.ts';
import { compileProgram } from '../command/child/static-program.ts';
import { openKernel } from '../command/seccomp/kernel.ts';
import { compileReaderFilter, hasSeccomp } from '../command/seccomp/seccomp.ts';
import { createConstants } from '../ground/elf.ts';

/**
 * Opens a program that loads a filter and becomes `next`, which can then read, compute and print, but start no other
 * program, write no file and open no socket, whatever its own text says. Its arguments begin with `next`'s own name.
 * Throws if the machine has no such filter.
 */
export async function openReaderProgram(next: string): Promise<number> {
  const architecture: string = process.arch;
  if (!hasSeccomp(architecture)) throw new Error(`no system call filter for ${architecture}`);
  const filter = compileReaderFilter(architecture);
  const { put, putText, bytes } = createConstants();
  putText(next);
  // struct sock_fprog
  const program = Buffer.alloc(16);
  program.writeUInt16LE(filter.length / 8, 0);
  program.writeBigUInt64LE(BigInt(put(filter)), 8);
  const loaded = put(program);
  const steps = [
    { call: 'prctl', args: [noNewPrivileges, 1, 0, 0, 0] },
    { call: 'seccomp', args: [setFilter, 0, loaded] },
  ] as const;
  return openMemoryProgram(await openKernel(), compileProgram(steps, bytes(), architecture));
}

const noNewPrivileges = 38;
const setFilter = 1;
