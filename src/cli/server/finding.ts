import type { Text } from '../../contract/text/text.ts';

/** One finding of `sekisho doctor`. */
export interface Finding {
  readonly what: string;
  readonly works: boolean;
  /** Worth a look, but nothing is missing. */
  readonly isWarning?: true | undefined;
  readonly detail: Text | string;
  readonly remedy?: Text | string | undefined;
}
