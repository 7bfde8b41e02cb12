import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text.ts';

/** Lets so many work at once; a bounded number waits in order. */
export interface Queue {
  /** Resolves with the function that gives the place back. Throws `rate_limited` or `cancelled`. */
  enter(signal: AbortSignal): Promise<() => void>;
}

export function createQueue(atOnce: number, maxWaiting: number): Queue {
  let working = 0;
  const waiting = new Set<() => void>();

  function leave(): void {
    working--;
    const [next] = waiting;
    if (!next) return;
    waiting.delete(next);
    next();
  }

  function take(): () => void {
    working++;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      leave();
    };
  }

  return {
    async enter(signal) {
      if (signal.aborted) throw cancelled();
      if (working < atOnce) return take();
      if (waiting.size >= maxWaiting) {
        throw new ToolError(
          'rate_limited',
          text(
            `${working} commands are running and ${waiting.size} are waiting.`,
            `${working} 件のコマンドが実行中、${waiting.size} 件が待機中です。`,
          ),
          {
            suggestion: text('Wait for some of them to end.', 'いくつか終わるまで待ってください。'),
            details: { retry_after_ms: 1000 },
          },
        );
      }
      return new Promise((resolve, reject) => {
        const start = () => {
          signal.removeEventListener('abort', abort);
          resolve(take());
        };
        const abort = () => {
          waiting.delete(start);
          reject(cancelled());
        };
        waiting.add(start);
        signal.addEventListener('abort', abort, { once: true });
      });
    },
  };
}

/** The caller withdrew the call. */
export function cancelled(): ToolError {
  return new ToolError('cancelled', text('The command was cancelled.', 'コマンドは取り消されました。'));
}
