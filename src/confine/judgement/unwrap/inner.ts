import { literalWord, unknownWord, type Word, wordOf } from '../words/word.ts';

/** What a command starts in its turn. */
export type Inner =
  | { readonly kind: 'command'; readonly words: readonly Word[] }
  | {
      readonly kind: 'script';
      readonly source: Word;
      readonly posix: boolean;
      /** What stands for its `$1` is put into its text: good only where that is the name of a file. */
      readonly ofNames?: boolean;
    }
  | { readonly kind: 'assignment'; readonly word: Word }
  /** A folder that the inner command runs in. */
  | { readonly kind: 'folder'; readonly word: Word }
  | { readonly kind: 'unread'; readonly rule: string; readonly word: Word }
  /**
   * Taken for a path, unless the script itself may have made something else of it: of any word, or only of one that may
   * become several.
   */
  | { readonly kind: 'operand'; readonly rule: string; readonly word: Word; readonly onlyIfSplit: boolean };

/** Words that a program joins with spaces and hands to a shell. */
export function joined(words: readonly Word[]): Inner {
  const unknown = words.find((word) => word.value === undefined);
  const source = unknown
    ? wordOf([{ kind: 'unknown', oneField: false }], unknown.text)
    : literalWord(words.map((word) => word.value).join(' '));
  return { kind: 'script', source, posix: false };
}

/** A shell that reads its input. */
export const shellAlone: Inner = { kind: 'command', words: [literalWord('sh')] };

/** It cannot be told what this word makes of the command. */
export function unread(word: Word): Inner {
  return { kind: 'unread', rule: 'wrapper-unread', word };
}

/** A word with a placeholder in it is not known from there on. */
export function replaceMarker(word: Word, marker: string, prefix = ''): Word {
  const at = marker === '' ? 0 : word.prefix.indexOf(marker);
  if (at < 0) return word;
  return unknownWord(word.text, word.prefix.slice(0, at) + (at === 0 ? prefix : ''), true);
}
