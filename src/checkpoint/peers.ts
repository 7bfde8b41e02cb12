import { openKernel } from '../command/seccomp/kernel.ts';

/** The kernel's knowledge of a program that connects to a server. */
export interface Peers {
  /** The process at the other end of a connected Unix socket. */
  processOf(descriptor: number): number | undefined;
  /** Gives back the memory of a file's bytes, whose positions stay. */
  free(descriptor: number, from: number, to: number): void;
}

/** Throws without koffi, or on an unknown processor. */
export async function openPeers(): Promise<Peers> {
  const { syscall } = await openKernel();
  return {
    processOf(descriptor) {
      const credentials = Buffer.alloc(12);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(credentials.length);
      const failed = syscall('getsockopt', descriptor, socketLevel, peerCredentials, credentials, length);
      return failed === 0 ? credentials.readInt32LE(0) : undefined;
    },
    free(descriptor, from, to) {
      syscall('fallocate', descriptor, keepSize | punchHole, from, to - from);
    },
  };
}

const [socketLevel, peerCredentials] = [1, 17];
const [keepSize, punchHole] = [1, 2];
