import { optionsNamed, readOptions } from '../../words/options.ts';
import { literalWord, type Word } from '../../words/word.ts';
import { type Inner, unread } from '../inner.ts';

/** What a sed script starts: its command `e`, and the flag `e` of `s` (sed(1), GNU extensions). */
export function unwrapSed(words: readonly Word[]): readonly Inner[] {
  const options = readOptions(words, { valued: 'efl', longValued: ['expression', 'file', 'line-length'] });
  const given = optionsNamed(options, 'e', ['expression']).flatMap(({ value }) => value ?? []);
  const isElsewhere = given.length > 0 || optionsNamed(options, 'f', ['file']).length > 0;
  const scripts = isElsewhere ? given : options.operands.slice(0, 1);
  return scripts.flatMap((word) => (word.value === undefined ? [] : startsOf(word.value, word)));
}

/** An address that is a line, a step or the last line. */
const line = /\d+(?:~\d+)?|[+~]\d+|\$/;
/** A list of characters, where the sign that ends a pattern is one like any other. */
const list = /\[\^?\]?[^\]]*\]/y;

function startsOf(script: string, word: Word): readonly Inner[] {
  const inner: Inner[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    const sticky = new RegExp(pattern.source, 'y');
    sticky.lastIndex = at;
    const found = sticky.exec(script)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  /** The text up to the next of this sign that nothing escapes. */
  const takeUntil = (sign: string, isPattern = false): boolean => {
    for (; at < script.length; at++) {
      list.lastIndex = at;
      if (script[at] === '\\') at++;
      else if (isPattern && script[at] === '[' && list.test(script)) at = list.lastIndex - 1;
      else if (script[at] === sign) {
        at++;
        return true;
      }
    }
    return false;
  };
  const takeAddress = (): void => {
    if (take(line) !== undefined) return;
    if (script[at] !== '/' && script[at] !== '\\') return;
    if (script[at] === '\\') at++;
    takeUntil(script[at++] ?? '', true);
    take(/[IM]*/);
  };
  while (at < script.length) {
    take(/[\s;]*/);
    takeAddress();
    take(/\s*/);
    if (take(/,\s*/) !== undefined) takeAddress();
    take(/[\s!]*/);
    const command = script[at++] ?? '';
    if (command === 's' || command === 'y') {
      const sign = script[at++] ?? '';
      if (!takeUntil(sign, command === 's') || !takeUntil(sign)) return inner;
      const flags = take(/[gpiImMe\d]*/) ?? '';
      if (command === 's' && flags.includes('e')) inner.push(unread(word));
      if (command === 's' && script[at] === 'w') take(/[^\n]*/);
    } else if (command === 'e') {
      const started = take(/[^\n]*/)?.trim() ?? '';
      inner.push(
        started === '' ? unread(word) : { kind: 'script', source: literalWord(started), posix: true },
      );
    } else if (/[aic]/.test(command)) take(/(?:[^\n\\]|\\[\s\S])*/);
    else if (/[#rRwW]/.test(command)) take(/[^\n]*/);
    else if (/[:btTv]/.test(command)) take(/[^\n;]*/);
    else if (/[qQlL]/.test(command)) take(/\s*\d*/);
    else if (!/[{}=dDgGhHnNpPxFz\s]/.test(command)) return inner;
  }
  return inner;
}
