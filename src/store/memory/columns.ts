import type { Memory } from '../../contract/capabilities/memory.ts';
import { fold } from '../recall/fold.ts';
import { gistDigest } from '../recall/gist.ts';
import { wordsOfMemory } from '../recall/words.ts';

/** The columns that derive from a memory's content. */
export function memoryColumns(said: Pick<Memory, 'content' | 'category' | 'tags'>) {
  const content = clean(said.content);
  const category = clean(said.category);
  const tags = said.tags.map(clean);
  const words = wordsOfMemory({ content, category, tags });
  return {
    words,
    columns: {
      content,
      category,
      tags: JSON.stringify(tags),
      gist: gistDigest(content),
      category_key: fold(category),
      tags_key: `\n${tags.map(fold).join('\n')}\n`,
      words: words.join(' '),
    },
  };
}

/** Removes control characters other than line feed and tab, because stored text is shown again, in terminals too. */
function clean(words: string): string {
  return words
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}
