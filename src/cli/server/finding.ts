import type { Text } from '../../contract/text/text.ts';

/** What `sekisho doctor` says of one thing. */
export interface Finding {
  readonly what: string;
  readonly works: boolean;
  /** Worth a look, and nothing is missing. */
  readonly isWarning?: true | undefined;
  readonly detail: Text | string;
  readonly remedy?: Text | string | undefined;
}
