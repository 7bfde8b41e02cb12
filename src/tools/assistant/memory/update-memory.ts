import * as z from 'zod';
import { ToolError } from '../../../contract/error.ts';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import {
  memoryCategory,
  memoryContent,
  memoryId,
  memoryOutput,
  memoryTags,
  noSuchMemory,
  shownMemory,
} from './memory-fields.ts';

export const updateMemory = defineTool({
  name: 'update_memory',
  category: 'memory',
  title: text('Change a memory', 'メモリの変更'),
  description: text(
    'Change a memory; omitted fields stay.',
    'メモリを変更します。指定しない項目はそのまま残ります。',
  ),
  permission: 'authenticated',
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  uses: ['memory'],
  input: z.object({
    id: memoryId.describe('From recall.'),
    content: memoryContent.optional().describe('New text.'),
    category: memoryCategory.optional().describe('Its category.'),
    tags: memoryTags.optional().describe('All its tags.'),
  }),
  output: z.object(memoryOutput),
  ja: {
    id: 'recall の結果の id。例: "mem_7k2m9q4x3v5w8z1t"',
    content: '新しい全文。例: "好きな色は緑"',
    category: '例: "preference"',
    tags: '今後のすべてのタグ。例: ["color"]',
  },
  example: { id: 'mem_7k2m9q4x3v5w8z1t', content: 'Favorite color is green' },

  async run({ id, content, category, tags }, { memory, audit }) {
    if (content === undefined && category === undefined && tags === undefined) throw nothingToChange();
    const changed = await memory.update(id, { content, category, tags: tags && [...new Set(tags)] });
    if (!changed) throw noSuchMemory(id);
    audit({ updated: id });
    return shownMemory(changed);
  },
});

function nothingToChange(): ToolError {
  return new ToolError(
    'invalid_parameter',
    text('Nothing to change was given.', '変更する内容がありません。'),
    {
      suggestion: text(
        'Give content, category or tags.',
        'content、category、tags のいずれかを指定してください。',
      ),
    },
  );
}
