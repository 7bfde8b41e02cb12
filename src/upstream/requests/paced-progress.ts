type Progress = (done: number, total?: number, message?: string) => void;

/** The first reports pass at once; later ones ten times a second. */
const mostAtOnce = 100;
const everyMs = 100;

/** Limits a server's progress reports: passing on each message has a cost, too. */
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
