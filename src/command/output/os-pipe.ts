import { closeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ToolError } from '../../contract/error.ts';

/** A pipe of the operating system: its bytes do not pass through this process. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
}

export type MakePipe = () => Pipe;

/**
 * Loads `pipe2`. Node makes socket pairs, which a stage could tell from pipes and which the kernel copies more slowly.
 * Throws `unavailable` if the C library cannot be loaded.
 */
export function openPipes(): MakePipe {
  let pipe2: (descriptors: number[], flags: number) => number;
  try {
    // A native add-on: loaded by require, and only for a pipeline.
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
    pipe2 = koffi.load(null).func('int pipe2(_Out_ int *fds, int flags)');
  } catch (cause) {
    throw noPipes(cause);
  }
  return () => {
    const descriptors = [0, 0];
    if (pipe2(descriptors, closeOnExec) !== 0) throw noPipes('pipe2 failed');
    return { read: descriptors[0] ?? -1, write: descriptors[1] ?? -1 };
  };
}

/** O_CLOEXEC on Linux: a child inherits only the ends that were passed to it. */
const closeOnExec = 0o2000000;

function noPipes(cause: unknown): ToolError {
  return new ToolError(
    'unavailable',
    'Pipes cannot be made on this machine.',
    'このマシンではパイプを作成できません。',
    {
      cause,
    },
  );
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
