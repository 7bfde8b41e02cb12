import * as z from 'zod';

/** A part of the configuration in which every key may be left out, and no other key may stand. */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape).partial();
}

// The usual kinds of settings, each with its description.

export function flag(about: string) {
  return z.boolean().describe(about);
}

export function word(about: string) {
  return z.string().min(1).describe(about);
}

export function spelled(form: RegExp, about: string) {
  return z.string().regex(form).describe(about);
}

export function choice<const Among extends readonly [string, ...string[]]>(among: Among, about: string) {
  return z.enum(among).describe(about);
}

export function atLeast(min: number, about: string) {
  return z.int().min(min).describe(about);
}

export function between(min: number, max: number, about: string) {
  return z.int().min(min).max(max).describe(about);
}
