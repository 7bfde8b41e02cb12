/** A request while it runs. */
export interface Run {
  readonly cancel: AbortController;
  /** A cancelled request gets no answer. */
  silent: boolean;
  isOver: boolean;
  /** Withdraws the questions that the request has put to the client; made with the first. */
  over?: AbortController;
}

export function startRun(): Run {
  return { cancel: new AbortController(), silent: false, isOver: false };
}

/** Marks the request as answered; what it still asks of the client is withdrawn. */
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
