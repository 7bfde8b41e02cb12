import type { Text } from '../text/text.ts';

/** What a check that zod has no words for says of an argument, in each language; read by `defineTool`. */
export function inputRule({ en, ja }: Text): {
  readonly error: string;
  readonly params: { readonly ja: string };
} {
  return { error: en, params: { ja } };
}
