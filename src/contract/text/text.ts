/** The languages that every text for a person or a model exists in. */
export const locales = ['en', 'ja'] as const;

export type Locale = (typeof locales)[number];

/** The language that a page offers to change to. */
export const otherLocale = { en: 'ja', ja: 'en' } as const;

/** Does it name one of our languages? Exactly: "ja", not "ja_JP.UTF-8". */
export function isLocale(word: unknown): word is Locale {
  return (locales as readonly unknown[]).includes(word);
}

/** Words for a model or a person, in each language; whoever shows them picks one: `words[locale]`. */
export interface Text {
  readonly en: string;
  readonly ja: string;
}

/** Words in both languages: `text('Not found.', '見つかりません。')`. */
export function text(en: string, ja: string): Text {
  return { en, ja };
}

/** Words that are the same in every language: a name, a number, a quotation. */
export function verbatim(words: string): Text {
  return { en: words, ja: words };
}

/** Two sentences of one language in a row, with a space between them unless the first ends as a Japanese one does. */
export function joinSentences(first: string, second: string): string {
  return `${first}${first.endsWith('。') ? '' : ' '}${second}`;
}
