import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signingFolder } from '../../network/ssh/settings.ts';
import { compileConnect, signProgram } from '../../network/ssh/sign-program.ts';
import { openMemoryProgram } from '../child/memory-program.ts';
import type { Kernel } from '../seccomp/kernel.ts';

/** The folder of a room in which the relay listens for those who want a signature, with the programs that connect. */
export function openSigningFolder(kernel: Kernel) {
  const path = mkdtempSync(join(tmpdir(), 'sekisho-signing-'));
  const files = new Map([
    ['sign', openMemoryProgram(kernel, Buffer.from(signProgram))],
    ['connect', openMemoryProgram(kernel, compileConnect())],
  ]);
  return {
    /** Makes it in a room; `first` is the number of the first of these descriptors there. */
    make(first: number) {
      const names = [...files.keys()];
      const descriptors = [...files.values()].map((fd) => openSync(`/proc/self/fd/${fd}`, 'r'));
      return {
        args: [
          ...['--size', '1048576', '--perms', '0755', '--tmpfs', path, '--chdir', path],
          ...names.flatMap((name, at) => ['--perms', '0555', '--file', `${first + at}`, join(path, name)]),
        ],
        descriptors,
        close: () => descriptors.forEach(closeSync),
      };
    },
    /** Shows it to a command of the room, which cannot change it. */
    shown: ['--ro-bind', path, signingFolder],
    close() {
      for (const fd of files.values()) closeSync(fd);
      rmSync(path, { recursive: true, force: true });
    },
  };
}
