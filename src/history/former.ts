import type { FormerFile } from '../contract/capabilities/files.ts';
import type { FileState } from '../contract/capabilities/history.ts';
import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import { errnoCode } from '../ground/errors/errno-code.ts';
import { atOnceBytes } from './change-state.ts';
import type { Contents } from './contents.ts';

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
    text(
      'The old content cannot be kept for undo, so nothing was changed.',
      '取り消し用に元の内容を保存できないため、何も変更しませんでした。',
    ),
    { cause },
  );
}
