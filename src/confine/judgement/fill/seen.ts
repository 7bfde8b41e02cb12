import type { Word } from '../words/word.ts';

/** Remembers commands by their very words: one that was read is not read again, however many ways lead to it. */
export function createSeen() {
  const byFirst = new WeakMap<Word, (readonly Word[])[]>();
  return {
    before(words: readonly Word[]): boolean {
      const [first] = words;
      if (!first) return false;
      const known = byFirst.get(first) ?? [];
      if (
        known.some((other) => other.length === words.length && other.every((word, at) => word === words[at]))
      ) {
        return true;
      }
      known.push(words);
      byFirst.set(first, known);
      return false;
    },
  };
}
