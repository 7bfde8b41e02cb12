/** Text as all comparisons see it. */
export function normalise(words: string): string {
  return words.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** The words of a text: single letters and pairs where a script has no spaces, whole words elsewhere. */
export function wordsOf(content: string): string[] {
  const words: string[] = [];
  for (const [run] of normalise(content).matchAll(runs)) {
    if (!unspaced.test(run)) {
      words.push(run);
      continue;
    }
    const letters = [...run];
    letters.forEach((letter, at) => {
      words.push(letter);
      const next = letters[at + 1];
      if (next) words.push(letter + next);
    });
  }
  return words;
}

export function wordsOfMemory(memory: {
  readonly content: string;
  readonly category: string;
  readonly tags: readonly string[];
}): string[] {
  return wordsOf(`${memory.content}\n${memory.category}\n${memory.tags.join('\n')}`);
}

const runs =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]]+/gv;
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;
