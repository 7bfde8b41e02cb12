import { cleanLine } from '../../contract/text/clean-text.ts';
import { type Locale, type Text, text, verbatim } from '../../contract/text/text.ts';

/** The rule that asks about a command outside the sandbox. */
export const outsideRule = 'outside-sandbox';

interface Named {
  readonly rule: string;
  readonly writtenAt?: string | undefined;
}

/** A rule's name and its source, for readers of that file: `rules[0], /home/me/…/sekisho.jsonc:3`. */
export function ruleName({ rule, writtenAt }: Named, locale: Locale): string {
  return `${rule}${comma[locale]}${cleanLine(writtenAt ?? builtIn[locale])}`;
}

/** The same for a model, without the file's path on this machine: `rules[0] (sekisho.jsonc:3)`. */
export function ruleForModel({ rule, writtenAt }: Named): Text {
  const file = writtenAt?.replace(/^.*\//s, '');
  const { en, ja } = file === undefined ? builtIn : verbatim(cleanLine(file));
  return text(`${rule} (${en})`, `${rule}（${ja}）`);
}

const comma = text(', ', '、');
const builtIn = text('built in', '組み込み');
