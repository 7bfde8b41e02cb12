import type { Text } from '../text/text.ts';

/** A call that a plan lists: exactly what would be sent. */
export interface PlanCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * What becomes of a call of a plan: no rule applies to it, a yes to the plan allows it once, or it is asked about
 * by itself when it comes, as a rule says that only a person answers.
 */
export type PlanNeed = 'nothing' | 'plan' | 'person';

export interface PlanStep {
  readonly tool: string;
  readonly needs: PlanNeed;
  /** The call in a line, and the rule that asks. */
  readonly line: Text;
}

/** Plans of one caller's session. */
export interface Plans {
  /**
   * Looks at each call and runs none. Throws `denied` for one that policy refuses, and `invalid_parameter` for one that
   * is none, is not the caller's to make or is listed twice, naming the step.
   */
  look(calls: readonly PlanCall[]): Promise<readonly PlanStep[]>;
  /**
   * Allows each call that needs the plan once, in this session, for an hour at most. Allows nothing where no person was
   * asked: then there is no id.
   */
  allow(calls: readonly PlanCall[]): Promise<AllowedPlan>;
}

export interface AllowedPlan {
  readonly id?: string | undefined;
  readonly steps: readonly PlanStep[];
  readonly expiresAtMs: number;
}
