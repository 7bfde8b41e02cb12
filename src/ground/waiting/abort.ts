/** The reason of a signal that aborts because the server itself is told to stop: little time is left. */
export const serverStops = new DOMException('The server stops.', 'AbortError');

/** The reason of a signal that aborts because a person stopped all work. */
export const personStops = new DOMException('A person stopped all work.', 'AbortError');

/** Settles like `work`, but rejects with `reason()` as soon as the signal aborts. The work itself continues. */
export function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  reason: () => unknown = () => signal.reason,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => reject(reason());
    if (signal.aborted) give();
    signal.addEventListener('abort', give, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}
