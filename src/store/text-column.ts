import { type Text, text, verbatim } from '../contract/text/text.ts';

/** Words in both languages in one column: whoever reads them later may read the other. */
export function writeText({ en, ja }: Text): string {
  return JSON.stringify({ en, ja });
}

/** What was written so, or in one language, as older versions did. */
export function readText(stored: string): Text {
  if (!stored.startsWith('{"en":')) return verbatim(stored);
  try {
    const { en, ja } = JSON.parse(stored);
    if (typeof en === 'string' && typeof ja === 'string') return text(en, ja);
  } catch {
    // A question of an older version that only begins so.
  }
  return verbatim(stored);
}
