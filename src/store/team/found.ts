import type { Step } from './instructions.ts';

/** What a step needs, beside its name. */
export interface Found {
  readonly step: Step;
  readonly taskId?: string | undefined;
  readonly needs?: Record<string, string[]> | undefined;
  readonly counts?: Record<string, number> | undefined;
}
