import { closeSync } from 'node:fs';
import { ToolError } from '../../contract/error.ts';
import { closeOnExec } from '../../ground/machine/syscalls.ts';
import { type Kernel, openKernel } from '../seccomp/kernel.ts';

/** A pipe of the operating system: its bytes do not pass through this process. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
}

export type MakePipe = () => Pipe;

/**
 * Makes pipes by `pipe2`. Node makes socket pairs, which a stage could tell from pipes and which the kernel copies more
 * slowly. Throws `unavailable` if the C library cannot be loaded.
 */
export async function openPipes(): Promise<MakePipe> {
  try {
    const kernel = await openKernel();
    return () => makePipe(kernel);
  } catch (cause) {
    throw new ToolError(
      'unavailable',
      'Pipes cannot be made on this machine.',
      'このマシンではパイプを作成できません。',
      { cause },
    );
  }
}

/** Both ends are close-on-exec: a child inherits only those that are passed to it. */
export function makePipe({ syscall }: Kernel): Pipe {
  const ends = Buffer.alloc(8);
  if (syscall('pipe2', ends, closeOnExec) !== 0) throw new Error('pipe2 was refused');
  return { read: ends.readInt32LE(0), write: ends.readInt32LE(4) };
}

/** The descriptors of one pipeline; each is closed exactly once. */
export function createDescriptorSet() {
  const held = new Set<number>();
  return {
    hold(fd: number): number {
      held.add(fd);
      return fd;
    },
    /** A stream owns the descriptor now and closes it. */
    giveAway(fd: number): number {
      held.delete(fd);
      return fd;
    },
    close(fd: number): void {
      if (held.delete(fd)) closeSync(fd);
    },
    closeAll(): void {
      for (const fd of held) closeSync(fd);
      held.clear();
    },
  };
}

export type DescriptorSet = ReturnType<typeof createDescriptorSet>;
