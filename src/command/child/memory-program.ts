import { closeSync, openSync, writeSync } from 'node:fs';
import { defer } from '../../ground/waiting/defer.ts';
import type { Kernel } from '../seccomp/kernel.ts';

/** A file in memory, since a writable disk may forbid execution. Open for reading only, or it could not be executed. */
export function openMemoryProgram({ syscall }: Kernel, bytes: Buffer): number {
  const name = Buffer.from('sekisho\0');
  const create = (flags: number) => syscall('memfd_create', name, flags);
  // Kernels before 6.3 do not know the flag and do not need it.
  const executable = create(closeDescriptorOnExec | mayExecute);
  const fd = executable >= 0 ? executable : create(closeDescriptorOnExec);
  if (fd < 0) throw new Error('memfd_create was refused');
  using _ = defer(() => closeSync(fd));
  writeSync(fd, bytes);
  return openSync(`/proc/self/fd/${fd}`, 'r');
}

const closeDescriptorOnExec = 1;
const mayExecute = 0x10;
