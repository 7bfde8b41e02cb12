/** Resolves when the process is told to stop; a second signal ends it at once. */
export function untilTold(): { readonly signal: Promise<void>; forget(): void } {
  let tell: () => void = () => {};
  const signal = new Promise<void>((resolve) => {
    tell = resolve;
  });
  let told = false;
  const onSignal = () => {
    if (told) process.exit(3);
    told = true;
    tell();
  };
  const names = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  for (const name of names) process.on(name, onSignal);
  return {
    signal,
    forget() {
      // Not removed while stopping: the second signal must still end us.
      if (told) return;
      for (const name of names) process.off(name, onSignal);
    },
  };
}
