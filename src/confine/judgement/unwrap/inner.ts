import { literalWord, type Word } from '../words/word.ts';

/** What a command starts in its turn. */
export type Inner =
  | { readonly kind: 'command'; readonly words: readonly Word[] }
  | {
      readonly kind: 'script';
      readonly source: Word;
      /** The words that it is called with: its `"$@"`. */
      readonly args?: readonly Word[];
      /** Another machine runs it. */
      readonly isElsewhere?: boolean;
    }
  | { readonly kind: 'assignment'; readonly name: string; readonly value: string | undefined }
  /** What it starts is only known when it runs. */
  | { readonly kind: 'unread' };

export const unread: Inner = { kind: 'unread' };

/** Words that a program joins with spaces and hands to a shell. */
export function joined(words: readonly Word[]): Inner {
  const [only, ...more] = words;
  if (only && more.length === 0) return { kind: 'script', source: only };
  const script = words.map((word) => word.script ?? '"${_}"').join(' ');
  return { kind: 'script', source: literalWord(script) };
}

/** A marker stands for a word that is only known when it runs; in a script it stands for `$1`. */
export function markedWord(word: Word, marker: string): Word {
  const at = marker === '' ? -1 : (word.value ?? '').indexOf(marker);
  if (at < 0) return word;
  return {
    value: undefined,
    prefix: word.prefix.slice(0, at),
    text: word.text,
    script: word.value === marker ? undefined : word.value?.replaceAll(marker, '${1}'),
  };
}
