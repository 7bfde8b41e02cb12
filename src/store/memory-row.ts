import type { Memory } from '../contract/memory.ts';
import { fold } from './recall/fold.ts';
import { gistDigest } from './recall/gist.ts';
import { wordsOfMemory } from './recall/words.ts';
import type { MemoryRow } from './tables.ts';

/** A row as its owner sees it. */
export function memoryOf(row: Omit<MemoryRow, 'owner' | 'gist'>): Memory {
  return {
    id: row.id,
    content: row.content,
    category: row.category,
    tags: JSON.parse(row.tags) as string[],
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}

/** The columns that follow from what a memory says. */
export function memoryColumns({ content, category, tags }: Pick<Memory, 'content' | 'category' | 'tags'>) {
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
