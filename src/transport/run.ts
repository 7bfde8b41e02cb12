export interface Run {
  readonly cancel: AbortController;
  /** When the request arrived, by `performance.now()`. */
  readonly beganAt: number;
  /** A cancelled request gets no reply. */
  silent: boolean;
  isOver: boolean;
  /** Withdraws the request's questions to the client; created with the first. */
  over?: AbortController;
}

export function startRun(): Run {
  return { cancel: new AbortController(), beganAt: performance.now(), silent: false, isOver: false };
}

/** Marks the request as answered and withdraws its open questions to the client. */
export function endRun(run: Run): void {
  run.isOver = true;
  run.over?.abort();
}

/** The client cancelled: the work stops and nothing is sent. */
export function cancelRun(run: Run): void {
  run.silent = true;
  run.cancel.abort(new DOMException('The client cancelled the request.', 'AbortError'));
}

/** Aborts when the request is cancelled or answered. */
export function askSignal(run: Run): AbortSignal {
  run.over ??= new AbortController();
  return AbortSignal.any([run.cancel.signal, run.over.signal]);
}
