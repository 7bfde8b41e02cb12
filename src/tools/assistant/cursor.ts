import * as z from 'zod';

/** A cursor that counts the entries already shown. */
export const cursorInput = z.string().regex(/^\d{1,9}$/);

/** The offset at which a page begins. */
export function offsetOf(cursor: string | undefined): number {
  return cursor === undefined ? 0 : Number(cursor);
}
