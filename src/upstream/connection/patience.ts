import type { ToolError } from '../../contract/error.ts';
import { type RemoteRequest, timedOut, tookTooLong } from './remote.ts';

type Limits = Pick<RemoteRequest, 'timeoutMs' | 'wholeMs' | 'waitsForPerson'>;

/** The timers of one request: for the server's silence and for its whole duration. */
export function startPatience(limits: Limits, over: (error: ToolError) => void) {
  const { timeoutMs, wholeMs = longestWaitMs, waitsForPerson } = limits;
  // The time that a person takes to answer is not the server's.
  const silence = setTimeout(() => {
    if (waitsForPerson?.()) silence.refresh();
    else over(timedOut(limits));
  }, timeoutMs);
  let whole = setTimeout(expire, wholeMs);
  function expire(): void {
    if (waitsForPerson?.()) whole = setTimeout(expire, timeoutMs);
    else over(tookTooLong(limits));
  }
  return {
    /** The server reported progress. */
    heard: () => void silence.refresh(),
    end() {
      clearTimeout(silence);
      clearTimeout(whole);
    },
  };
}

/** The longest time of a timer. */
export const longestWaitMs = 2 ** 31 - 1;
