import type { Text } from '../text/text.ts';

/** A call that a plan lists, exactly as it would be sent. */
export interface PlanCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * The need of a call in a plan: nothing, as no rule applies; the plan's approval, which allows it once; or a separate
 * question when it comes, as the rule accepts only a person's answer to this call.
 */
export type PlanNeed = 'nothing' | 'plan' | 'person';

export interface PlanStep {
  readonly tool: string;
  readonly needs: PlanNeed;
  /** The call in a line, and the rule that asks. */
  readonly line: Text;
}

export interface Plans {
  /**
   * Checks each call and runs none. Throws `denied` for one that policy refuses, and `invalid_parameter` for one that
   * is malformed, that the caller may not make or that is listed twice, naming the step.
   */
  look(calls: readonly PlanCall[]): Promise<readonly PlanStep[]>;
  /** Allows each call that needs the plan once, in this session, for an hour. No person asked: nothing, no id. */
  allow(calls: readonly PlanCall[]): Promise<AllowedPlan>;
}

export interface AllowedPlan {
  readonly id?: string | undefined;
  readonly steps: readonly PlanStep[];
  readonly expiresAtMs: number;
}
