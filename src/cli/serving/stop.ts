/**
 * Resolves when the process is told to stop; a second signal ends it at once. Signals that come together are one:
 * Ctrl-C in a client reaches us from the terminal and from the client, and running calls must still be recorded.
 */
export function untilTold(): { readonly signal: Promise<void>; forget(): void } {
  let tell: () => void = () => {};
  const signal = new Promise<void>((resolve) => {
    tell = resolve;
  });
  let toldMs: number | undefined;
  const onSignal = () => {
    const nowMs = performance.now();
    if (toldMs !== undefined && nowMs - toldMs > togetherMs) process.exit(3);
    toldMs ??= nowMs;
    tell();
  };
  const names = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  for (const name of names) process.on(name, onSignal);
  return {
    signal,
    forget() {
      // Not removed while stopping: the second signal must still end us.
      if (toldMs !== undefined) return;
      for (const name of names) process.off(name, onSignal);
    },
  };
}

const togetherMs = 1000;
