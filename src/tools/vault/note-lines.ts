import * as z from 'zod';
import type { Place } from '../../contract/capabilities/files.ts';
import type { Vault } from '../../contract/capabilities/vault.ts';
import { ToolError } from '../../contract/error.ts';

/** Lines of a note in bounded pieces; a line longer than a piece comes in parts. */
export interface LinesPiece {
  readonly firstLine: number;
  /** Lines joined by LF. */
  readonly text: string;
  /** Whether this piece is the whole note. */
  readonly isAll: boolean;
}

/** Notes that were not searched, in a reply. */
export const notSearched = z
  .object({ count: z.int(), paths: z.array(z.string()) })
  .optional()
  .describe('Notes that are not UTF-8 text.');

const pieceChars = 200_000;

/** Yields a note's pieces; none of what is no note (an image). `onUnread` is called for one that is not UTF-8. */
export async function* piecesOf(
  vault: Vault,
  place: Place,
  signal: AbortSignal,
  onUnread?: () => void,
): AsyncGenerator<LinesPiece> {
  let next: { readonly line: number; readonly charOffset: number } | undefined = { line: 1, charOffset: 0 };
  while (next) {
    const part = await readOrSkip(vault, place, next, signal, onUnread);
    if (part?.kind !== 'part') return;
    const isAll = next.line === 1 && next.charOffset === 0 && part.next === undefined;
    yield { firstLine: part.startLine, text: part.text, isAll };
    next = part.next;
  }
}

async function readOrSkip(
  vault: Vault,
  place: Place,
  from: { readonly line: number; readonly charOffset: number },
  signal: AbortSignal,
  onUnread: (() => void) | undefined,
) {
  try {
    const part = { startLine: from.line, charOffset: from.charOffset, maxChars: pieceChars, signal };
    return await vault.readPart(place, part);
  } catch (error) {
    if (error instanceof ToolError && skipped.has(error.code)) {
      if (error.code === 'unsupported_encoding' && /\.(?:md|markdown|txt)$/i.test(place.path)) onUnread?.();
      return undefined;
    }
    throw error;
  }
}

const skipped: ReadonlySet<string> = new Set([
  'unsupported_encoding',
  'unsupported_type',
  'not_found',
  'forbidden',
  'conflict',
]);
