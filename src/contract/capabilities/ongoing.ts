import type { Reply } from '../call.ts';

/** The capability `ongoing`: calls of this session that outlasted the request they came with. */
export interface OngoingCalls {
  /**
   * What the call came to; undefined while it goes on after `waitMs`. Who withdraws while waiting withdraws the call.
   * Throws `not_found` for another session's, and for one that is forgotten.
   */
  result(id: string, waitMs: number, signal: AbortSignal): Promise<Reply | undefined>;
}
