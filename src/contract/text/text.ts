/** A locale that every tool text and message exists in. */
export type Locale = 'en' | 'ja';

/** Words for a model or a person, in each language; the reply picks one. */
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

/** One sentence after another: Japanese puts no space between them. */
export function joinSentences(first: string, second: string): string {
  return `${first}${first.endsWith('。') ? '' : ' '}${second}`;
}
