import { readSaid, type Said } from '../text/text.ts';

/** Options for zod's `refine`: the rest of a sentence that begins with the argument. `describeIssue` reads both. */
export function inputRule(...rule: Said<never>): {
  readonly error: string;
  readonly params: { readonly ja: string };
} {
  const { en, ja } = readSaid(rule).text;
  return { error: en, params: { ja } };
}
