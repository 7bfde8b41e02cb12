import { openKernel } from '../seccomp/kernel.ts';

/** The process at the other end of a connected Unix socket. Undefined without koffi, or on an unknown processor. */
export async function peerOf(descriptor: number): Promise<number | undefined> {
  const number = numbers.get(process.arch);
  if (number === undefined) return undefined;
  const { syscall } = await openKernel();
  const credentials = Buffer.alloc(12);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(credentials.length);
  const failed = syscall(number, descriptor, socketLevel, peerCredentials, credentials, length);
  return failed === 0 ? credentials.readInt32LE(0) : undefined;
}

const numbers = new Map<string, number>([
  ['x64', 55],
  ['arm64', 209],
]);
const [socketLevel, peerCredentials] = [1, 17];
