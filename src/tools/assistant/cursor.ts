import * as z from 'zod';

/** A cursor that counts what was shown already. */
export const cursorInput = z.string().regex(/^\d{1,9}$/);

/** Where a page begins. */
export function offsetOf(cursor: string | undefined): number {
  return cursor === undefined ? 0 : Number(cursor);
}
