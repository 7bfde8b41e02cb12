import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { makePipe } from '../output/os-pipe.ts';
import type { Kernel } from '../seccomp/kernel.ts';

/** A pipe on which a shell reports its folder and exports at its end. */
export function openReport(kernel: Kernel) {
  const { read, write } = makePipe(kernel);
  const stream = new Socket({ fd: read, readable: true, writable: false });
  stream.on('error', () => {});
  return { stream, childEnd: write, release: () => closeSync(write) };
}

/** The bytes of a report; undefined if there are more than a shell would report. */
export function collectReport(stream: Readable): () => Buffer | undefined {
  let bytes = 0;
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    // Keep reading even so, or the writer would block.
    if (bytes <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
  });
  return () => (bytes <= maxBytes ? Buffer.concat(chunks) : undefined);
}

const maxBytes = 256 * 1024;
