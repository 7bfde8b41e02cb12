import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { memoryCategory, memoryContent, memoryTags } from './memory-fields.ts';

export const remember = defineTool({
  name: 'remember',
  category: 'memory',
  title: text('Remember', '記憶する'),
  description: text(
    'Store a fact for later.',
    '以後の会話のために情報を保存します。同じ内容が既にあれば二重に保存せず、新しいタグだけを加えてそれを返します。変更は update_memory。',
  ),
  permission: 'authenticated',
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['memory'],
  input: z.object({
    content: memoryContent.describe('e.g. "Likes blue".'),
    category: memoryCategory.default('general').describe('e.g. "preference".'),
    tags: memoryTags.default([]).describe('e.g. ["color"].'),
  }),
  output: z.object({
    id: z.string(),
    duplicate_of: z.string().optional().describe('The memory that said it already.'),
    content: z.string().optional(),
    category: z.string().optional(),
    tags: z.array(z.string()).optional(),
  }),
  ja: {
    content: '保存する内容。例: "好きな色は青"',
    category: '例: "preference"',
    tags: '例: ["color"]',
    duplicate_of: '既に同じ内容のメモリ。',
  },
  example: { content: 'Favorite color is blue', tags: ['preference'] },

  async run({ content, category, tags }, { memory, audit }) {
    const { memory: stored, duplicate } = await memory.remember({ content, category, tags: distinct(tags) });
    audit({ memory: stored.id, duplicate });
    if (!duplicate) return { id: stored.id };
    const { content: said, category: kept, tags: all } = stored;
    return { id: stored.id, duplicate_of: stored.id, content: said, category: kept, tags: [...all] };
  },
});

function distinct(tags: readonly string[]): readonly string[] {
  return [...new Set(tags)];
}
