import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { makePipe } from '../output/os-pipe.ts';
import type { Kernel } from '../seccomp/kernel.ts';

/** A child's three streams: our ends as streams, its ends as descriptors for the caller to close. */
export interface Pipes {
  readonly childEnds: readonly number[];
  /** Our end of its descriptor 3, on which it waits; the caller closes this too. */
  readonly go: number;
  readonly stdin: Socket | undefined;
  readonly stdout: Socket;
  readonly stderr: Socket;
  readonly report: Socket | undefined;
}

/** Opens pipes for a child that another thread starts. */
export function openPipes(kernel: Kernel, stdin: 'null' | 'pipe', reports = false): Pipes {
  const opened: number[] = [];
  const pipe = () => {
    const made = makePipe(kernel);
    opened.push(made.read, made.write);
    return made;
  };
  try {
    const input = stdin === 'pipe' ? pipe() : undefined;
    const output = pipe();
    const errors = pipe();
    const start = pipe();
    const report = reports ? pipe() : undefined;
    const childInput = input?.read ?? openSync('/dev/null', 'r');
    return {
      childEnds: [childInput, output.write, errors.write, start.read, ...(report ? [report.write] : [])],
      go: start.write,
      stdin: input && quiet(new Socket({ fd: input.write, readable: false, writable: true })),
      stdout: quiet(new Socket({ fd: output.read, readable: true, writable: false })),
      stderr: quiet(new Socket({ fd: errors.read, readable: true, writable: false })),
      report: report && quiet(new Socket({ fd: report.read, readable: true, writable: false })),
    };
  } catch (error) {
    for (const fd of opened) closeSync(fd);
    throw error;
  }
}

/** A pipe whose other end is closed gives an error; the child's exit tells more. */
function quiet(socket: Socket): Socket {
  socket.on('error', () => {});
  return socket;
}
