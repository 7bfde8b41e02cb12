import type { Text } from '../contract/text/text.ts';

/** A failed delivery. Its text is shown and stored, so it contains no address, secret or foreign text. */
export class DeliveryFailure extends Error {
  readonly problem: Text;
  /** Another attempt would fail the same way. */
  readonly isFinal: boolean;
  readonly retryAfterMs: number | undefined;
  constructor(problem: Text, options: { readonly isFinal?: boolean; readonly retryAfterMs?: number } = {}) {
    super(problem.en);
    this.problem = problem;
    this.isFinal = options.isFinal ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}
