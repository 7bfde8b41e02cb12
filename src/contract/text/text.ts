/** The languages of every text for a person or a model. */
export const locales = ['en', 'ja'] as const;

export type Locale = (typeof locales)[number];

/** The language that a page offers as the alternative. */
export const otherLocale = { en: 'ja', ja: 'en' } as const;

/** Whether it is exactly one of our languages: "ja", not "ja_JP.UTF-8". */
export function isLocale(word: unknown): word is Locale {
  return (locales as readonly unknown[]).includes(word);
}

/** Text for a model or a person in each language; the code that shows it picks one: `words[locale]`. */
export interface Text {
  readonly en: string;
  readonly ja: string;
}

/** Text in both languages: `text('Not found.', '見つかりません。')`. */
export function text(en: string, ja: string): Text {
  return { en, ja };
}

/** The words of an error as `text` takes them, or a text made elsewhere; after them, what else belongs to it. */
export type Said<More, Last = undefined> =
  | readonly [en: string, ja: string, more?: More | undefined, last?: Last]
  | readonly [text: Text, more?: More | undefined, last?: Last];

export function readSaid<More, Last>(said: Said<More, Last>) {
  const [first, ...rest] = said;
  const words = typeof first === 'string' ? text(first, rest.shift() as string) : first;
  const [more, last] = rest as [more?: More, last?: Last];
  return { text: words, more, last };
}

/** Text that is the same in every language: a name, a number, a quotation. */
export function verbatim(words: string): Text {
  return { en: words, ja: words };
}

/** Joins two sentences of one language, with a space between them unless the first ends as a Japanese one does. */
export function joinSentences(first: string, second: string): string {
  return `${first}${first.endsWith('。') ? '' : ' '}${second}`;
}
