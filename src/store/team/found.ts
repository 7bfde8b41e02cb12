import type { Step } from './instructions.ts';

/** An agent's next step, and the tasks that it is about. */
export interface Found {
  readonly step: Step;
  readonly taskId?: string | undefined;
  readonly needs?: Record<string, string[]> | undefined;
  readonly counts?: Record<string, number> | undefined;
}
