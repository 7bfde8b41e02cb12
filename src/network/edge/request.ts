import type { RequestKind } from '../../contract/effects.ts';
import type { Text } from '../../contract/text/text.ts';

export type { RequestKind } from '../../contract/effects.ts';

/** A request as a program in the sandbox sent it, before anything of it has left. */
export interface EdgeRequest {
  readonly method: string;
  readonly scheme: 'https' | 'http';
  /** Canonical, without brackets and without the root's dot. */
  readonly host: string;
  readonly port: number;
  /** Path and query, as sent. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** At most 64 KiB. */
  readonly bodyStart: Buffer;
  readonly bodyIsWhole: boolean;
  /** Undefined if its length is known only at its end. */
  readonly bodyBytes: number | undefined;
}

export interface RequestVerdict {
  readonly kind: RequestKind;
  readonly dialect: string;
  /** E.g. "pushes to refs/heads/main of ours/app". */
  readonly summary: Text;
  /** The paths that an approval of this request covers. */
  readonly pathPattern: string;
  readonly notes: readonly Text[];
}
