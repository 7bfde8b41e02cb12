import { openKernel } from '../seccomp/kernel.ts';

/**
 * Keeps descriptors that the server inherited (a log, a lock, a socket of its parent) from commands: Node marks only
 * its own. Without koffi the self-test checks that there are none.
 */
export async function closeInheritedOnSpawn(): Promise<void> {
  try {
    const { syscall } = await openKernel();
    syscall(closeRange, 3, 0xffffffff, closeOnExec);
  } catch {
    // The self-test refuses the sandbox if one is visible inside.
  }
}

const closeRange = 436;
const closeOnExec = 4;
