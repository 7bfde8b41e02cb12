import * as z from 'zod';

/** A part of the configuration in which every key may be left out, and no other key may stand. */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape).partial();
}
