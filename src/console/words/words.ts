import { type Locale, locales, type Text } from '../../contract/text/text.ts';
import { frame } from './frame.ts';
import { questions } from './questions.ts';
import { records } from './records.ts';

const all = { ...frame, ...questions, ...records };

/** The texts of the console in one language. */
export type Words = Spoken<typeof all>;

type Spoken<T> = T extends Text
  ? string
  : T extends (...given: infer Given) => Text
    ? (...given: Given) => string
    : T extends string
      ? T
      : { readonly [K in keyof T]: Spoken<T[K]> };

export function wordsByLocale(): Readonly<Record<Locale, Words>> {
  return Object.fromEntries(locales.map((locale) => [locale, spoken(all, locale)])) as Record<Locale, Words>;
}

function spoken(node: unknown, locale: Locale): unknown {
  if (typeof node === 'function') return (...given: unknown[]) => spoken(node(...given), locale);
  if (Array.isArray(node)) return node.map((each) => spoken(each, locale));
  if (typeof node !== 'object' || node === null) return node;
  if ('en' in node && 'ja' in node) return node[locale];
  return Object.fromEntries(Object.entries(node).map(([name, each]) => [name, spoken(each, locale)]));
}
