import type { Buffer } from 'node:buffer';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { writable } from '../../../ground/elf.ts';
import { openMemoryProgram } from '../child/memory-program.ts';
import { makeSocketPair } from '../child/passed-descriptors.ts';
import { openPosixSpawn } from '../child/posix-spawn.ts';
import { compileLoop } from '../child/static-program.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import { hasSeccomp } from '../seccomp/seccomp.ts';
import { createWatch, type Watch } from './watch.ts';

/** Tells the main thread that something happened to what is watched, for which Node has no words. */
export interface Bell {
  /** It rings again once something happens, or has. */
  again(): void;
  close(): void;
}

/**
 * A process of a few hundred bytes waits in the kernel in the place of a thread, whose start takes as long as ten
 * commands. It goes with the server however that ends. `gone` is told where it ends by itself.
 */
export async function openBell(
  kernel: Kernel,
  watch: Watch,
  { ring, gone }: { readonly ring: () => void; readonly gone: () => void },
): Promise<Bell> {
  const architecture: string = process.arch;
  if (!hasSeccomp(architecture)) throw new Error(`no bell for ${architecture}`);
  const { apart } = await openPosixSpawn();
  const opened: number[] = [];
  try {
    // It watches its own end too, so that it ends with the server.
    const both = createWatch(kernel);
    opened.push(both.fd);
    const [ours, theirs] = makeSocketPair(kernel);
    opened.push(theirs);
    both.add(watch.fd);
    both.add(theirs);
    opened.push(openMemoryProgram(kernel, compileBell(architecture)));
    const pid = await apart({
      program: '/proc/self/fd/2',
      args: [],
      environment: {},
      workingFolder: '/',
      descriptors: opened,
    }).catch((error) => {
      closeSync(ours);
      throw error;
    });
    const socket = new Socket({ fd: ours, readable: true, writable: true });
    let isOpen = true;
    const end = () => {
      isOpen = false;
      socket.destroy();
      process.kill(pid, 'SIGKILL');
      kernel.syscall(process.arch === 'x64' ? 61 : 260, pid, null, 0, 0);
    };
    socket.unref();
    socket.on('data', ring).on('error', () => {});
    socket.once('close', () => {
      if (!isOpen) return;
      end();
      gone();
    });
    return {
      again: () => void (isOpen && socket.write('.')),
      close: () => {
        if (isOpen) end();
      },
    };
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/** Waits, tells, and waits until that was heard. Its descriptors are those that it was given. */
export function compileBell(architecture: 'x64' | 'arm64'): Buffer {
  const [both, end] = [0, 1];
  return compileLoop(
    [
      { call: 'epoll_pwait', args: [both, writable, 1, -1, 0] },
      { call: 'write', args: [end, writable, 1] },
      { call: 'read', args: [end, writable, 1] },
    ],
    16,
    architecture,
  );
}
