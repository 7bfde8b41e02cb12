import { openKernel } from '../seccomp/kernel.ts';

/**
 * Keeps what the server inherited open (a log, a lock, a socket of the program that started it) from reaching the
 * commands: Node marks its own descriptors, and knows nothing of these. Without koffi the self-test looks whether
 * there are any.
 */
export async function closeInheritedOnSpawn(): Promise<void> {
  try {
    const { syscall } = await openKernel();
    syscall(closeRange, 3, 0xffffffff, closeOnExec);
  } catch {
    // The self-test refuses the sandbox if one shows inside.
  }
}

const closeRange = 436;
const closeOnExec = 4;
