import type { GuardReason } from '../../contract/capabilities/pipeline.ts';
import { type Text, verbatim } from '../../contract/text/text.ts';

/** What would work instead: a pipeline that runs as it stands, or words where none can be made. */
export type Remedy = { readonly pipeline: string } | { readonly words: Text };

/** A pipeline that breaks a rule. Caught and given a proven suggestion by `readPipeline`. */
export class GuardViolation extends Error {
  readonly reason: GuardReason;
  readonly detail: Text;
  /** Best first; the first that is accepted is shown. */
  readonly remedies: readonly Remedy[];

  constructor(reason: GuardReason, detail: Text, remedies: readonly Remedy[]) {
    super(detail.en);
    this.name = 'GuardViolation';
    this.reason = reason;
    this.detail = detail;
    this.remedies = remedies;
  }
}

/** A suggestion that is a command. */
export function pipelineWords(command: string): Text {
  return verbatim(command);
}
