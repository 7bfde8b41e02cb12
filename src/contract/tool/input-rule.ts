import type { Text } from '../text/text.ts';

/**
 * Options for zod's `refine`: the rest of a sentence that begins with the argument's name, in each language.
 * `describeIssue` reads both.
 */
export function inputRule({ en, ja }: Text): {
  readonly error: string;
  readonly params: { readonly ja: string };
} {
  return { error: en, params: { ja } };
}
