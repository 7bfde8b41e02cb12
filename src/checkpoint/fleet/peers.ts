import { openKernel } from '../../command/seccomp/kernel.ts';

/** The kernel's knowledge of a program that connects to a server. */
export type Peers = Awaited<ReturnType<typeof openPeers>>;

/** Throws without koffi, or on an unknown processor. */
export async function openPeers() {
  const { syscall } = await openKernel();
  return {
    /** The process at the other end of a connected Unix socket. */
    processOf(descriptor: number): number | undefined {
      const credentials = Buffer.alloc(12);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(credentials.length);
      const failed = syscall('getsockopt', descriptor, socketLevel, peerCredentials, credentials, length);
      return failed === 0 ? credentials.readInt32LE(0) : undefined;
    },
    /** Gives back the memory of a file's bytes, whose positions stay. */
    free(descriptor: number, from: number, to: number): void {
      syscall('fallocate', descriptor, keepSize | punchHole, from, to - from);
    },
  };
}

const [socketLevel, peerCredentials] = [1, 17];
const [keepSize, punchHole] = [1, 2];
