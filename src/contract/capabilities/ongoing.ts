import type { Reply } from '../call.ts';

/** The capability `ongoing`: calls of this session that outlasted their request. */
export interface OngoingCalls {
  /**
   * The reply of the call; undefined if it is still running after `waitMs`. Aborting the wait cancels the call. Throws
   * `not_found` for calls of other sessions and forgotten ones.
   */
  result(id: string, waitMs: number, signal: AbortSignal): Promise<Reply | undefined>;
}
