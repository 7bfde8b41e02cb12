import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { Socket } from 'node:net';

/** Our end of a pipe to read from; it closes the descriptor. */
export function readPort(fd: number): AsyncIterable<Buffer> {
  return new Socket({ fd, readable: true, writable: false }) as AsyncIterable<Buffer>;
}

/** Our end of a pipe to write to; it closes the descriptor. */
export function writePort(fd: number) {
  const socket = new Socket({ fd, readable: false, writable: true });
  let written = 0;
  let isOpen = true;
  // The reader may have had enough: that ends the stage, and is no error.
  socket.on('error', () => {
    isOpen = false;
  });
  socket.on('close', () => {
    isOpen = false;
  });
  return {
    async write(chunk: string | Uint8Array): Promise<boolean> {
      if (!isOpen) return false;
      const bytes = typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length;
      if (bytes === 0) return true;
      if (!socket.write(chunk)) {
        await Promise.race([once(socket, 'drain').catch(() => undefined), once(socket, 'close')]);
      }
      if (isOpen) written += bytes;
      return isOpen;
    },
    async end(): Promise<void> {
      if (socket.destroyed) return;
      socket.end();
      await Promise.race([once(socket, 'close'), once(socket, 'finish').catch(() => undefined)]);
      socket.destroy();
    },
    /** Lets go at once, whatever is still to be written. */
    cut(): void {
      socket.destroy();
    },
    bytes: () => written,
  };
}
