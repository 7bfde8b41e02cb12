import { once } from 'node:events';
import { Socket } from 'node:net';

/** Our reading end of a pipe; it closes the descriptor. */
export function readPort(fd: number): AsyncIterable<Buffer> {
  return new Socket({ fd, readable: true, writable: false }) as AsyncIterable<Buffer>;
}

/** Our writing end of a pipe; it closes the descriptor. */
export function writePort(fd: number) {
  const socket = new Socket({ fd, readable: false, writable: true });
  let written = 0;
  let isOpen = true;
  let wake = (): void => undefined;
  socket.on('drain', () => wake());
  // The reader may have enough, which ends the stage without an error.
  for (const end of ['error', 'close'] as const) {
    socket.on(end, () => {
      isOpen = false;
      wake();
    });
  }

  return {
    async write(chunk: string | Uint8Array): Promise<boolean> {
      if (!isOpen) return false;
      const bytes = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length;
      if (bytes === 0) return true;
      const hasRoom = socket.write(chunk);
      if (!hasRoom) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (isOpen) written += bytes;
      return isOpen;
    },
    /** Resolves when all was read, or the reader is gone. */
    async end(): Promise<void> {
      if (socket.closed) return;
      // A socket that ends with an error is closed as well.
      const closed = once(socket, 'close').catch(() => undefined);
      socket.end(() => socket.destroy());
      await closed;
    },
    /** Closes at once, whatever is still to be written. */
    cut(): void {
      socket.destroy();
    },
    bytes: () => written,
  };
}

/** The ports of work that is done in this process: the same pipes as a program's. */
interface BuiltinPorts {
  /** Undefined for the first stage. */
  readonly input?: AsyncIterable<Buffer> | undefined;
  /** Resolves when the next stage has room; false if it reads no more. */
  write(chunk: string | Uint8Array): Promise<boolean>;
  /** Resolves when every earlier stage has ended; false if one failed. */
  readonly earlierEnded: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

export interface BuiltinEnd {
  readonly exitCode: number;
  readonly stderr?: string | undefined;
}

export type Builtin = (ports: BuiltinPorts) => Promise<BuiltinEnd>;
