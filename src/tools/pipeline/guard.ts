import type { GuardReason } from '../../contract/capabilities/pipeline.ts';
import { readSaid, type Said, type Text } from '../../contract/text/text.ts';

/** An alternative that would work: a pipeline that runs, or words if none can be made. */
export type Remedy = string | Text;

/** A pipeline that breaks a rule. `readPipeline` catches it and adds a proven suggestion. */
export class GuardViolation extends Error {
  readonly reason: GuardReason;
  readonly detail: Text;
  /** Best first; the first that is accepted is shown. */
  readonly remedies: readonly Remedy[];

  constructor(reason: GuardReason, ...said: Said<readonly Remedy[]>) {
    const { text, more = [] } = readSaid(said);
    super(text.en);
    this.name = 'GuardViolation';
    this.reason = reason;
    this.detail = text;
    this.remedies = more;
  }
}
