import type { Kernel } from '../seccomp/kernel.ts';

/**
 * Options for every thread that calls the kernel. It gets no environment and prints nothing: unread output keeps the
 * process alive. Node must not track its descriptors, since native calls open and close them too: it would warn, and at
 * the thread's end close others with the same numbers.
 */
export const quietThread = {
  env: {},
  execArgv: ['--no-warnings'],
  stdout: true,
  stderr: true,
  trackUnmanagedFds: false,
};

/** The program of a thread beside the module with this address, built or not. */
export function threadUrl(name: string, module: string): URL {
  return new URL(`./${name}.${module.endsWith('.ts') ? 'ts' : 'js'}`, module);
}

/**
 * Has the other threads take the process's signals. One that interrupted a supervisor as it hands over a descriptor
 * would make the kernel report success to the caller, with descriptor 0.
 */
export function blockSignals({ syscall }: Kernel): void {
  // A fault of the thread itself still ends it: SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS.
  const faults = [4, 5, 7, 8, 11, 31].reduce((set, signal) => set | (1n << BigInt(signal - 1)), 0n);
  const blocked = Buffer.alloc(8);
  blocked.writeBigUInt64LE(BigInt.asUintN(64, ~faults));
  syscall('rt_sigprocmask', 0, blocked, null, blocked.length);
}
