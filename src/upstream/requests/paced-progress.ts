type Progress = (done: number, total?: number, message?: string) => void;

/** So many at once are news; after them a server that goes on is heard ten times a second. */
const mostAtOnce = 100;
const everyMs = 100;

/** A server's progress as often as anybody reads it: each message costs the server that passes it on, too. */
export function pacedProgress(progress: Progress, now: () => number = () => performance.now()): Progress {
  let left = mostAtOnce;
  let lastMs = Number.NEGATIVE_INFINITY;
  return (done, total, message) => {
    if (left === 0 && now() - lastMs < everyMs) return;
    left = Math.max(0, left - 1);
    lastMs = now();
    progress(done, total, message);
  };
}
