import { createHash } from 'node:crypto';
import { closeSync, ftruncateSync } from 'node:fs';
import type { Place } from '../../contract/capabilities/files.ts';
import { defer } from '../../ground/defer.ts';
import { type IndexRecord, readAt } from './index-file.ts';
import { withWriting } from './writing.ts';

/** A planned write, noted before it began. */
export interface Intent {
  readonly record: IndexRecord;
  readonly path: string;
  readonly mirror: string;
  /** Size of the mirror before. */
  readonly mirrorBytes: number;
  /** Size of the real file before; -1 if there was none. */
  readonly realBytes: number;
}

/**
 * Completes a write that a crash interrupted. The mirror is written first and the real file after it, so the real file
 * decides: if it has the new bytes, the record is returned; otherwise the mirror drops them.
 */
export async function finishIntent(
  intent: Intent,
  { real, mirror }: { readonly real: Place; readonly mirror: Place },
): Promise<IndexRecord | undefined> {
  const { record } = intent;
  if (!mirror.exists()) return undefined;
  const content = readFrom(mirror, record.offset, record.bytes);
  if (digestOf(content) === record.sha256 && (await realHasIt(intent, real, content))) {
    // A torn append left exactly its record's bytes.
    withWriting(mirror, (fd) => ftruncateSync(fd, record.offset + record.bytes));
    return record;
  }
  withWriting(mirror, (fd) => ftruncateSync(fd, intent.mirrorBytes));
  return undefined;
}

async function realHasIt({ record, realBytes }: Intent, real: Place, content: Buffer): Promise<boolean> {
  if (!real.exists()) return false;
  const { bytes } = real.stat();
  if (record.mode !== 'append')
    return bytes === record.bytes && digestOf(readFrom(real, 0, bytes)) === record.sha256;
  const base = Math.max(0, realBytes);
  if (bytes < base || (bytes === base && record.bytes > 0)) return false;
  const grown = readFrom(real, base, record.bytes);
  if (!content.subarray(0, grown.length).equals(grown)) return false;
  if (grown.length < record.bytes) await real.append(content.subarray(grown.length));
  return true;
}

function readFrom(place: Place, position: number, length: number): Buffer {
  const fd = place.openRead();
  using _ = defer(() => closeSync(fd));
  return readAt(fd, position, length);
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
