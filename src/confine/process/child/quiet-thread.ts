/**
 * How every thread that calls the kernel is started. It gets nothing of the environment and prints nothing: text that is
 * not read keeps the process alive. Node must not track its descriptors, since native calls open and close them too: it
 * would warn, and close others of the same number when the thread ends.
 */
export const quietThread = {
  env: {},
  execArgv: ['--no-warnings'],
  stdout: true,
  stderr: true,
  trackUnmanagedFds: false,
};
