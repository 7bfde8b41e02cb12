import type { Generated } from 'kysely';

/** Columns by their kind: texts, numbers, and those of either that may be null. */
export type Texts<Name extends string> = Record<Name, string>;
export type Numbers<Name extends string> = Record<Name, number>;
export type MaybeTexts<Name extends string> = Record<Name, string | null>;
export type MaybeNumbers<Name extends string> = Record<Name, number | null>;

/** A table whose `seq` the database assigns. */
export type Numbered<Row extends { seq: number }> = Omit<Row, 'seq'> & { seq: Generated<number> };
