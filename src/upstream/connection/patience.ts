import type { ToolError } from '../../contract/error.ts';
import { type RemoteRequest, timedOut, tookTooLong } from './remote.ts';

/** The clocks of one request: how long its server may be silent, and how long it may take as a whole. */
export interface Patience {
  /** The server reported progress. */
  heard(): void;
  end(): void;
}

type Limits = Pick<RemoteRequest, 'timeoutMs' | 'wholeMs' | 'waitsForPerson'>;

export function startPatience(limits: Limits, over: (error: ToolError) => void): Patience {
  const { timeoutMs, wholeMs = longestWaitMs, waitsForPerson } = limits;
  // A person takes the time that they take; it is not the server's.
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
    heard: () => void silence.refresh(),
    end() {
      clearTimeout(silence);
      clearTimeout(whole);
    },
  };
}

/** A timer takes no more. */
export const longestWaitMs = 2 ** 31 - 1;
