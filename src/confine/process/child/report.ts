import { Buffer } from 'node:buffer';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Kernel } from '../seccomp/kernel.ts';
import { makePipe } from './pipes.ts';

/** A pipe by which a shell says at its end where it is and what it exports. */
export interface Report {
  readonly stream: Readable;
  readonly childEnd: number;
  /** Closes the child's end, once it has started or has not. */
  release(): void;
}

export function openReport(kernel: Kernel): Report {
  const [read, write] = makePipe(kernel);
  const stream = new Socket({ fd: read, readable: true, writable: false });
  stream.on('error', () => {});
  return { stream, childEnd: write, release: () => closeSync(write) };
}

/** What came by the pipe; nothing where it was more than a shell has to say. */
export function collectReport(stream: Readable): () => Buffer | undefined {
  let bytes = 0;
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    // Read on all the same: whoever writes would stand still.
    if (bytes <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
  });
  return () => (bytes <= maxBytes ? Buffer.concat(chunks) : undefined);
}

const maxBytes = 256 * 1024;
