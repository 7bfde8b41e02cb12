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
