import { literalWord, type Word } from '../words/word.ts';

/** A command that another command starts. */
export type Inner =
  | { readonly kind: 'command'; readonly words: readonly Word[] }
  | {
      readonly kind: 'script';
      readonly source: Word;
      /** The words of its call: its `"$@"`. */
      readonly args?: readonly Word[];
      /** Another machine runs it. */
      readonly isElsewhere?: boolean;
    }
  | { readonly kind: 'assignment'; readonly name: string; readonly value: string | undefined }
  /** The started command is known only at run time. */
  | { readonly kind: 'unread' };

export const unread: Inner = { kind: 'unread' };

/** Words that a program joins with spaces and hands to a shell. */
export function joined(words: readonly Word[]): Inner {
  const [only, ...more] = words;
  if (only && more.length === 0) return { kind: 'script', source: only };
  const script = words.map((word) => word.script ?? '"${_}"').join(' ');
  return { kind: 'script', source: literalWord(script) };
}

/** A marker stands for a word that is known only at run time; in a script it becomes `$1`. */
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
