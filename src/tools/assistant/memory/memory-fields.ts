import * as z from 'zod';
import { type Memory, maxTags } from '../../../contract/capabilities/memory.ts';
import { ToolError } from '../../../contract/error.ts';
import { text } from '../../../contract/text/text.ts';
import { inputRule } from '../../../contract/tool/input-rule.ts';

/** Shared by the tools for memories: arguments, the shape of a memory in a reply, and one refusal. */

const notBlank = inputRule(text('must not be blank', '空白だけにはできません'));

export const memoryContent = z.string().max(8000).refine(hasWords, notBlank);
export const memoryCategory = z.string().max(100).refine(hasWords, notBlank);
export const memoryTags = z.array(z.string().max(100).refine(hasWords, notBlank)).max(maxTags);
export const memoryId = z
  .string()
  .max(64)
  .refine(
    (id) => /^[\w-]+$/.test(id),
    inputRule(text('must be an id from recall', 'recall が返した id でなければなりません')),
  );

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

/** The same message whether it never existed, was forgotten, or belongs to another user. */
export function noSuchMemory(id: string): ToolError {
  return new ToolError(
    'not_found',
    text(`No memory has the id "${id}".`, `ID「${id}」のメモリはありません。`),
    {
      suggestion: text('Find ids with recall.', 'recall で ID を確認してください。'),
    },
  );
}

/** Whether text remains once the store has removed control characters. */
function hasWords(words: string): boolean {
  return /[^\s\x00-\x1f\x7f-\x9f]/.test(words);
}
