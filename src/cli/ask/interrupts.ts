import { type Locale, text } from '../../contract/text/text.ts';
import { defer } from '../../ground/defer.ts';
import type { Lines } from './lines.ts';

/** The effects of Ctrl-C and of a request to end. */
export interface Interrupts {
  /** Cancels the running question; without one, clears the typed text, else says how to leave, then leaves. */
  interrupt(): void;
  /** Cancels the running question, and reads no further one. */
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
      using _ = defer(() => (running = undefined));
      return await work(running.signal);
    },
  };
}

const howToLeave = text(
  'Press Ctrl-C again or Ctrl-D, or type /exit, to quit.',
  'もう一度 Ctrl-C、または Ctrl-D か /exit で終了します。',
);
