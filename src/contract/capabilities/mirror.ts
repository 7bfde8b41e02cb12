import type { Text } from '../text/text.ts';
import type { WriteRecord } from './pipeline.ts';

/** A write as the audit log has it, to compare its mirror with. */
export interface LoggedWrite extends Omit<WriteRecord, 'path' | 'append'> {
  readonly callId: string;
}

/** The facts of a recorded write as the audit log keeps them; `loggedWrite` reads them back. */
export function writeFacts(record: WriteRecord): Readonly<Record<string, unknown>> {
  const { path, bytes, recordId, mirror, sha256, root } = record;
  return { wrote: path, bytes, record_id: recordId, mirror, sha256, root };
}

/** The write that a call's facts describe, as `writeFacts` made them; undefined if they describe none. */
export function loggedWrite(
  facts: Readonly<Record<string, unknown>> | undefined,
  callId: string,
): LoggedWrite | undefined {
  if (!facts) return undefined;
  const { record_id: recordId, mirror, bytes, sha256, root } = facts;
  if (typeof recordId !== 'string' || typeof mirror !== 'string' || typeof bytes !== 'number')
    return undefined;
  if (typeof sha256 !== 'string' || typeof root !== 'string') return undefined;
  return { recordId, mirror, bytes, sha256, root, callId };
}

/** Whether the mirrors match their indexes, and both match the writes in the audit log. */
export type MirrorVerdict =
  | { readonly ok: true; readonly records: number; readonly unreachable?: UnreachableMirror | undefined }
  | { readonly ok: false; readonly records: number; readonly problem: Text };

/** Logged writes in roots that can no longer be opened. */
export interface UnreachableMirror {
  readonly records: number;
  readonly roots: readonly string[];
}
