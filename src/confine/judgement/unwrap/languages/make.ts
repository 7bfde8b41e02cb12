import { optionsNamed, readOptions } from '../../words/options.ts';
import { literalWord, type Word } from '../../words/word.ts';
import { type Inner, unread } from '../inner.ts';

/** What make is told to start on its command line: another shell, and `$(shell …)` (make(1); GNU make, Functions). */
export function unwrapMake(words: readonly Word[]): readonly Inner[] {
  const options = readOptions(words, {
    valued: 'CEfIjloW',
    longValued: ['directory', 'eval', 'file', 'makefile', 'include-dir', 'old-file', 'what-if'],
  });
  const texts = optionsNamed(options, 'E', ['eval']).flatMap(({ value }) => value ?? []);
  return [
    ...texts.flatMap((text) => shellCalls(text, true)),
    ...options.operands.flatMap((word): readonly Inner[] => {
      const [, name, value] = /^([^=:+?!\s]+)\s*:{0,3}[+?!]?=(.*)$/s.exec(word.prefix) ?? [];
      if (name === undefined) return [];
      if (/^(\.?SHELL(FLAGS)?|MAKE(FLAGS|FILES|OVERRIDES)?|GNUMAKEFLAGS)$/.test(name))
        return word.value !== undefined && /^(\/usr)?(\/bin\/)?(ba|da|z)?sh$/.test(value ?? '')
          ? []
          : [unread(word)];
      return /[!]=/.test(word.prefix) ? [unread(word)] : shellCalls(word, false);
    }),
  ];
}

/** The calls of the shell in a text of make; what else of its language is in it may build one. */
function shellCalls(word: Word, isMakefile: boolean): readonly Inner[] {
  const text = word.value ?? word.prefix;
  if (isMakefile && /\n\t|;|!=|\$[({](eval|call|file|guile)\b|^\s*(include|load)\b/m.test(text))
    return [unread(word)];
  if (!/\$[({]\s*(shell|eval|guile|file)\b/.test(text)) return [];
  const script = /^[^$]*\$(?:\(shell\s+([^()$]*)\)|\{shell\s+([^{}$]*)\})[^$]*$/s.exec(word.value ?? '');
  const source = script?.[1] ?? script?.[2];
  return source === undefined
    ? [unread(word)]
    : [{ kind: 'script', source: literalWord(source), posix: true }];
}
