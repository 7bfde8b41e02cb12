/** Work whose callers at the same time share one run. */
export interface Sharing<T> {
  (): Promise<T>;
  /** The run that the newest caller waits for, if any. */
  readonly running: () => Promise<T> | undefined;
}

/** A call during a run gets that run. */
export function sharing<T>(work: () => Promise<T>): Sharing<T> {
  let running: Promise<T> | undefined;
  const run = () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
  return Object.assign(run, { running: () => running });
}

/** A call during a run gets the next one, since the present one may have missed what the call is about. */
export function sharingNext<T>(work: () => Promise<T>): Sharing<T> {
  const run = sharing(work);
  let following: Promise<T> | undefined;
  const next = () => {
    const running = run.running();
    if (!running) return run();
    // The callers of the present run get its failure.
    following ??= running
      .catch(() => {})
      .then(() => {
        following = undefined;
        return run();
      });
    return following;
  };
  return Object.assign(next, { running: () => following ?? run.running() });
}
