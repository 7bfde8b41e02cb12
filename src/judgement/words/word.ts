/**
 * A word of a command, as far as it is known before it runs. A word with a hole in it (a variable, the output of
 * another command) has no `value`, and rules must expect any word.
 */
export interface Word {
  readonly value: string | undefined;
  /** The known text before the first hole; the whole word if `value` is set. */
  readonly prefix: string;
  /** As the caller wrote it, with quotes. */
  readonly text: string;
  /** The shell expands it: a wildcard, braces, a home folder. */
  readonly isPattern?: boolean;
  /** The text of a script, with `$name` for each hole; undefined if it consists of holes only. */
  readonly script?: string | undefined;
}

/** A word from data, which no shell expands. */
export function literalWord(value: string, text = value): Word {
  return { value, prefix: value, text, script: value };
}

/** A word that is unknown, or known only up to its first characters. */
export function openWord(text: string, prefix = ''): Word {
  return { value: undefined, prefix, text };
}

/** Can the word become an option? */
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
