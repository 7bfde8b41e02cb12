import { z } from 'zod';
import { ToolError } from '../../contract/error.ts';
import type { Memory } from '../../contract/memory.ts';
import { text } from '../../contract/text.ts';

/** What the tools for memories share: their arguments, the shape of a memory in a reply, and one refusal. */

const notBlank = 'must not be blank (空白だけにはできません)';

export const memoryContent = z.string().max(8000).transform(clean).refine(isNotBlank, notBlank);
export const memoryCategory = z.string().max(100).transform(clean).refine(isNotBlank, notBlank);
export const memoryTags = z.array(z.string().max(100).transform(clean).refine(isNotBlank, notBlank)).max(20);
export const memoryId = z.string().min(1).max(64);

export const memoryOutput = {
  id: z.string(),
  content: z.string(),
  category: z.string(),
  tags: z.array(z.string()),
  created_at: z.string(),
};

/** A memory as a reply shows it. */
export function shownMemory(memory: Memory) {
  return {
    id: memory.id,
    content: memory.content,
    category: memory.category,
    tags: [...memory.tags],
    created_at: new Date(memory.createdAtMs).toISOString(),
  };
}

/** The same words whether it never was, was forgotten, or is somebody else's. */
export function noSuchMemory(id: string): ToolError {
  return new ToolError(
    'not_found',
    text(`No memory has the id "${clean(id)}".`, `ID「${clean(id)}」のメモリはありません。`),
    {
      suggestion: text('Find ids with recall.', 'recall で ID を確認してください。'),
    },
  );
}

/** Removes control characters other than line feed and tab; what is stored is shown again. */
function clean(words: string): string {
  return words
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}

function isNotBlank(words: string): boolean {
  return words.trim() !== '';
}
