import type { Text } from '../contract/text/text.ts';

/** A notice that did not get there. Its words are shown and kept: no address, no secret, nothing that a stranger wrote. */
export class DeliveryFailure extends Error {
  readonly problem: Text;
  /** Another try would fail the same. */
  readonly isFinal: boolean;
  readonly retryAfterMs: number | undefined;
  constructor(problem: Text, options: { readonly isFinal?: boolean; readonly retryAfterMs?: number } = {}) {
    super(problem.en);
    this.problem = problem;
    this.isFinal = options.isFinal ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}
