/**
 * A word of a command as far as it is known before it runs. A word with a hole in it (a variable, the output of another
 * command) has no `value`, and rules take it for any word.
 */
export interface Word {
  readonly value: string | undefined;
  /** What the word begins with up to the first hole; the whole of it when `value` is there. */
  readonly prefix: string;
  /** As the caller wrote it, quotes and all. */
  readonly text: string;
  /** The shell makes other words of it: a wildcard, braces, a home folder. */
  readonly isPattern?: boolean;
  /** The text of a script, with `$name` for each hole; undefined if it is nothing but holes. */
  readonly script?: string | undefined;
}

/** A word that came as data: no shell expands anything in it. */
export function literalWord(value: string, text = value): Word {
  return { value, prefix: value, text, script: value };
}

/** A word that is not known, or not beyond its first characters. */
export function openWord(text: string, prefix = ''): Word {
  return { value: undefined, prefix, text };
}

/** May the word become an option, or is it surely an operand? */
export function mayBeOption(word: Word): boolean {
  return word.value === undefined && (word.prefix === '' || word.prefix.startsWith('-'));
}

/** The end of a word from `start`. */
export function partOf(word: Word, start: number): Word {
  return {
    value: word.value?.slice(start),
    prefix: word.prefix.slice(start),
    text: word.text,
    script: word.script?.slice(start),
  };
}
