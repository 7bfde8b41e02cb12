import { type Text, text, verbatim } from '../contract/text/text.ts';

/** Both languages in one column: the later reader's may differ. */
export function writeText({ en, ja }: Text): string {
  return JSON.stringify({ en, ja });
}

/** Reads a column in this form, or in one language as older versions wrote it. */
export function readText(stored: string): Text {
  if (!stored.startsWith('{"en":')) return verbatim(stored);
  try {
    const { en, ja } = JSON.parse(stored);
    if (typeof en === 'string' && typeof ja === 'string') return text(en, ja);
  } catch {
    // A question of an older version that happens to begin this way.
  }
  return verbatim(stored);
}
