import type { FileState } from '../contract/capabilities/history.ts';
import { ToolError } from '../contract/error.ts';
import { type Text, text } from '../contract/text/text.ts';
import { unifiedDiff } from '../ground/text/unified-diff.ts';
import type { KnownFiles } from './known.ts';

export interface Overwrite {
  readonly sessionId: string;
  readonly hostPath: string;
  /** As the caller may see it. */
  readonly shown: string;
  /** The file that is to be replaced. */
  readonly before: FileState;
  readonly read: () => Uint8Array | Promise<Uint8Array>;
}

/**
 * The change that somebody else made after the session knew a file; undefined if none, or if the session does not know
 * it. A file with the same content counts as unchanged.
 */
export async function staleness(known: KnownFiles, file: Overwrite): Promise<Stale | undefined> {
  const { before, shown } = file;
  const seen = known.of(file.sessionId, file.hostPath);
  if (!seen || before.kind !== 'file' || before.digest === undefined || before.digest === seen.digest)
    return undefined;
  const isShort = seen.content !== undefined && before.bytes <= mostComparedBytes;
  const diff = isShort ? await diffOf(shown, seen.content ?? new Uint8Array(), await file.read()) : '';
  return { shown, diff };
}

export interface Stale {
  readonly shown: string;
  /** From what the session knew to what it replaces; empty if it is not known. */
  readonly diff: string;
}

/** For the reply of a write that was made. */
export function toldOf({ shown, diff }: Stale): Text {
  const changes = diff && `\n\n${diff}`;
  return text(
    `[Sekisho: ${shown} was changed by somebody else after this session last read or wrote it, and this write replaces that. If their change is to stay, write the file again with it.]${changes}`,
    `[Sekisho: ${shown} は、このセッションが最後に読み書きした後に他者が変更していました。今回の書き込みはその変更を上書きしています。残すべき変更であれば、それを含めて書き直してください。]${changes}`,
  );
}

/** For a write that is not made. */
export function refusedAs({ shown, diff }: Stale): ToolError {
  const changes = diff && `\n\n${diff}`;
  return new ToolError(
    'conflict',
    `${shown} was changed by somebody else after this session last read or wrote it, so it was not written.${changes}`,
    `${shown} は、このセッションが最後に読み書きした後に他者が変更していたため、書き込みませんでした。${changes}`,
    text('Read it again, and write it with their change.', '読み直し、その変更を含めて書き込んでください。'),
  );
}

async function diffOf(shown: string, from: Uint8Array, to: Uint8Array): Promise<string> {
  const [before, after] = [from, to].map((bytes) => Buffer.from(bytes).toString());
  if (before === undefined || after === undefined || /\0/.test(before + after)) return '';
  return (await unifiedDiff(shown, before, after, mostDiffChars)).trimEnd();
}

const mostComparedBytes = 256 * 1024;
const mostDiffChars = 4000;
