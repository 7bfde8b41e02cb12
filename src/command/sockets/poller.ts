import type { Buffer } from 'node:buffer';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { writable } from '../../ground/elf.ts';
import { syscallNumber } from '../../ground/syscalls.ts';
import { openMemoryProgram } from '../child/memory-program.ts';
import { makeSocketPair } from '../child/passed-descriptors.ts';
import { openPosixSpawn } from '../child/posix-spawn.ts';
import { compileLoop } from '../child/static-program.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import { hasSeccomp } from '../seccomp/seccomp.ts';
import { createWatch, type Watch } from './watch.ts';

/** Waits for epoll events outside the main thread, since Node has no function for it. */
export interface Poller {
  /** Re-arms it: `onReady` is called once more when an event occurs, or has occurred. */
  rearm(): void;
  close(): void;
}

/**
 * A process of a few hundred bytes waits in the kernel instead of a thread, whose start takes as long as ten commands.
 * It ends with the server in any case. `gone` is called if it ends by itself.
 */
export async function openPoller(
  kernel: Kernel,
  watch: Watch,
  { onReady, gone }: { readonly onReady: () => void; readonly gone: () => void },
): Promise<Poller> {
  const architecture: string = process.arch;
  if (!hasSeccomp(architecture)) throw new Error(`no poller for ${architecture}`);
  const { apart } = await openPosixSpawn();
  const opened: number[] = [];
  try {
    // It also watches its end of our socket, so that it ends with the server.
    const both = createWatch(kernel);
    opened.push(both.fd);
    const [ours, theirs] = makeSocketPair(kernel);
    opened.push(theirs);
    both.add(watch.fd);
    both.add(theirs);
    opened.push(openMemoryProgram(kernel, compilePoller(architecture)));
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
      kernel.syscall(syscallNumber('wait4'), pid, null, 0, 0);
    };
    socket.unref();
    socket.on('data', onReady).on('error', () => {});
    socket.once('close', () => {
      if (!isOpen) return;
      end();
      gone();
    });
    return {
      rearm: () => void (isOpen && socket.write('.')),
      close: () => {
        if (isOpen) end();
      },
    };
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/**
 * The poller's program: waits for an event, writes a byte, and waits for the answer. Its descriptors are its streams.
 */
export function compilePoller(architecture: 'x64' | 'arm64'): Buffer {
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
