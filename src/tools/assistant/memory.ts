import * as z from 'zod';
import { type Memory, maxTags } from '../../contract/capabilities/memory.ts';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { inputRule } from '../../contract/tool/input-rule.ts';

/** Shared by the tools for memories: arguments, the shape of a memory in a reply, and one refusal. */

const notBlank = inputRule('must not be blank', '空白だけにはできません');

export const memoryContent = z.string().max(8000).refine(hasWords, notBlank);
export const memoryCategory = z.string().max(100).refine(hasWords, notBlank);
export const memoryTags = z.array(z.string().max(100).refine(hasWords, notBlank)).max(maxTags);
export const memoryId = z
  .string()
  .max(64)
  .refine(
    (id) => /^[\w-]+$/.test(id),
    inputRule('must be an id from recall', 'recall が返した id でなければなりません'),
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
    `No memory has the id "${id}".`,
    `ID「${id}」のメモリはありません。`,
    text('Find ids with recall.', 'recall で ID を確認してください。'),
  );
}

/** Whether text remains once the store has removed control characters. */
function hasWords(words: string): boolean {
  return /[^\s\x00-\x1f\x7f-\x9f]/.test(words);
}

export const remember = defineTool({
  name: 'remember',
  category: 'memory',
  title: text('Remember', '記憶する'),
  description: text(
    'Store a fact for later.',
    '以後の会話のために情報を保存します。同じ内容が既にあれば二重に保存せず、新しいタグだけを加えてそれを返します。変更は update_memory。',
  ),
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

/** A date in this machine's time zone, or a time with its zone. zod's own patterns would cost 800 characters each. */
const moment = z
  .string()
  .max(40)
  .refine(
    (when) => z.union([z.iso.date(), z.iso.datetime({ offset: true })]).safeParse(when).success,
    inputRule('must be a date such as 2026-02-01', '2026-02-01 のような日付でなければなりません'),
  );

export const recall = defineTool({
  name: 'recall',
  category: 'memory',
  title: text('Recall', '思い出す'),
  description: text(
    'Find memories, best match first; an empty query lists the newest.',
    'remember で保存した情報を、一致度の高い順に探します。query が空なら新しい順に返します。',
  ),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['memory'],
  input: z.object({
    query: z.string().max(2000).describe('e.g. "color".'),
    limit: z.int().min(1).max(50).default(5).describe('e.g. 10.'),
    category: memoryCategory.optional().describe('e.g. "preference".'),
    tags: memoryTags.optional().describe('All of these.'),
    since: moment.optional().describe('e.g. "2026-02-01".'),
    until: moment.optional().describe('e.g. "2026-02-28".'),
  }),
  output: z.object({
    memories: z.array(
      z.object({
        ...memoryOutput,
        score: z.number(),
        low_confidence: z.boolean().optional().describe('Holds little of what was asked.'),
      }),
    ),
  }),
  ja: {
    query: '例: "好きな色"',
    limit: '結果の上限。例: 5',
    category: 'このカテゴリだけ。例: "preference"',
    tags: 'すべてのタグを持つものだけ。例: ["color"]',
    since: 'この日以後。例: "2026-02-01"',
    until: 'この日以前。例: "2026-02-28"',
    'memories.low_confidence': '質問との一致が少ない。',
  },
  example: { query: 'favorite color' },

  async run({ query, limit, category, tags, since, until }, { memory, audit }) {
    const found = await memory.recall({
      query,
      limit,
      category,
      tags,
      sinceMs: since === undefined ? undefined : startOf(since),
      untilMs: until === undefined ? undefined : endOf(until),
    });
    audit({ recalled: found.length });
    return {
      memories: found.map((hit) => ({
        ...shownMemory(hit),
        score: hit.score,
        ...(hit.lowConfidence ? { low_confidence: true } : {}),
      })),
    };
  },
});

function startOf(when: string): number {
  return isDate(when) ? new Date(`${when}T00:00:00`).getTime() : Date.parse(when);
}

function endOf(when: string): number {
  return isDate(when) ? new Date(`${when}T23:59:59.999`).getTime() : Date.parse(when);
}

function isDate(when: string): boolean {
  return when.length === 10;
}

export const updateMemory = defineTool({
  name: 'update_memory',
  category: 'memory',
  title: text('Change a memory', 'メモリの変更'),
  description: text(
    'Change a memory; omitted fields stay.',
    'メモリを変更します。指定しない項目はそのまま残ります。',
  ),
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
    if (content === undefined && category === undefined && tags === undefined)
      throw new ToolError(
        'invalid_parameter',
        'Nothing to change was given.',
        '変更する内容がありません。',
        text('Give content, category or tags.', 'content、category、tags のいずれかを指定してください。'),
      );
    const changed = await memory.update(id, { content, category, tags: tags && [...new Set(tags)] });
    if (!changed) throw noSuchMemory(id);
    audit({ updated: id });
    return shownMemory(changed);
  },
});

export const forget = defineTool({
  name: 'forget',
  category: 'memory',
  title: text('Forget', '忘れる'),
  description: text('Delete one memory for good.', 'メモリを 1 件、完全に削除します。'),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  uses: ['memory'],
  input: z.object({ id: memoryId.describe('From recall.') }),
  output: z.object({ forgotten: z.string() }),
  ja: { id: 'recall の結果の id。例: "mem_7k2m9q4x3v5w8z1t"' },
  example: { id: 'mem_7k2m9q4x3v5w8z1t' },

  async run({ id }, { memory, audit }) {
    if (!(await memory.forget(id))) throw noSuchMemory(id);
    audit({ forgot: id });
    return { forgotten: id };
  },
});
