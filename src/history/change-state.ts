import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { FileChange, FormerFile } from '../contract/capabilities/files.ts';
import type { FileState, NewHistoryEntry } from '../contract/capabilities/history.ts';
import { ToolError } from '../contract/error.ts';
import { readAtNow } from '../files/io.ts';
import { errnoCode } from '../ground/errors/errno-code.ts';
import { orElse } from '../ground/or-else.ts';
import type { Contents } from './contents.ts';
import { isSame, stateAt } from './state.ts';

/** A larger file is copied by the kernel instead of through memory. */
export const atOnceBytes = 8 * 1024 * 1024;

/** Did a noted change happen? If the path was changed again later, it did. */
export function didHappen(entry: NewHistoryEntry): boolean {
  // The path is not readable: an entry too many is better than one too few.
  return orElse(() => {
    const found = stateAt(join(entry.root, entry.path), entry.before);
    return !isSame(found, entry.before, true);
  }, true);
}

/** The state of a file after a change. */
export function afterOf(change: FileChange, content: Uint8Array | undefined): FileState {
  const { former, action, movedFrom } = change;
  if (action === 'remove' || action === 'move') return { kind: 'absent' };
  const mode = former ? former.stat.mode & 0o777 : undefined;
  if (movedFrom) {
    const { stat } = movedFrom;
    const state = { kind: 'file', bytes: stat.bytes, mode: stat.mode & 0o7777 } as const;
    return stat.bytes > atOnceBytes ? state : { ...state, digest: hash('sha256', movedFrom.read()) };
  }
  const added = content ?? Buffer.alloc(0);
  if (action !== 'append' || !former)
    return { kind: 'file', bytes: added.length, mode, digest: hash('sha256', added) };
  const bytes = former.stat.bytes + added.length;
  if (change.growsInPlace)
    return { kind: 'file', bytes, mode, tail: { bytes: added.length, digest: hash('sha256', added) } };
  const old = readAtNow(former.descriptor, 0, former.stat.bytes);
  return { kind: 'file', bytes, mode, digest: hash('sha256', Buffer.concat([old, added])) };
}

/**
 * Keeps a file's content before a change, up to `maxFileBytes`; `durable` resolves when it is safe from a power cut.
 */
export async function keepFormer(
  { stat, read, descriptor }: FormerFile,
  { contents, maxFileBytes }: { readonly contents: Contents; readonly maxFileBytes: number },
): Promise<{ readonly state: FileState; readonly durable: Promise<void> }> {
  const mode = stat.mode & 0o7777;
  if (stat.kind === 'folder') return { state: { kind: 'folder', mode }, durable: Promise.resolve() };
  const state = { kind: 'file', bytes: stat.bytes, mode } as const;
  if (stat.bytes > maxFileBytes) return { state, durable: Promise.resolve() };
  if (stat.bytes > atOnceBytes) {
    const digest = await contents.putFile(`/proc/self/fd/${descriptor}`);
    return { state: { ...state, digest }, durable: Promise.resolve() };
  }
  const { digest, durable } = contents.put(read());
  return { state: { ...state, digest }, durable };
}

/** Refuses a change because the content that it replaces could not be kept. */
export function cannotKeep(cause: unknown): ToolError {
  if (cause instanceof ToolError) return cause;
  const isFull = ['ENOSPC', 'EDQUOT'].includes(errnoCode(cause) ?? '');
  return new ToolError(
    isFull ? 'storage_full' : 'unavailable',
    'The old content cannot be kept for undo, so nothing was changed.',
    '取り消し用に元の内容を保存できないため、何も変更しませんでした。',
    { cause },
  );
}
