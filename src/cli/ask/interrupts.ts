import { type Locale, text } from '../../contract/text/text.ts';
import type { Lines } from './lines.ts';

/** What Ctrl-C and a request to end come to, whatever is going on. */
export interface Interrupts {
  /** The running question is cancelled; with none, what is typed is taken back, then the first says how to leave. */
  interrupt(): void;
  /** The running question is cancelled, and none is read after it. */
  stop(): void;
  readonly hasStopped: boolean;
  /** Does work that an interrupt cancels. */
  during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export function createInterrupts(lines: () => Lines | undefined, locale: Locale): Interrupts {
  let running: AbortController | undefined;
  let hasWarned = false;
  let hasStopped = false;

  function stop(): void {
    hasStopped = true;
    running?.abort();
    lines()?.close();
  }

  return {
    interrupt() {
      const open = lines();
      if (running && !running.signal.aborted) running.abort();
      else if (!running && open?.clear()) hasWarned = false;
      else if (running || hasWarned || !open) stop();
      else {
        hasWarned = true;
        open.remark(howToLeave[locale]);
      }
    },
    stop,
    get hasStopped() {
      return hasStopped;
    },
    async during(work) {
      running = new AbortController();
      hasWarned = false;
      if (hasStopped) running.abort();
      try {
        return await work(running.signal);
      } finally {
        running = undefined;
      }
    },
  };
}

const howToLeave = text(
  'Press Ctrl-C again or Ctrl-D, or type /exit, to quit.',
  'もう一度 Ctrl-C、または Ctrl-D か /exit で終了します。',
);
