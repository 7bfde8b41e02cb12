import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { inputRule } from '../../../contract/tool/input-rule.ts';
import { memoryCategory, memoryOutput, memoryTags, shownMemory } from './memory-fields.ts';

/** A date in this machine's time zone, or a time with its zone. zod's own patterns would cost 800 characters each. */
const moment = z
  .string()
  .max(40)
  .refine(
    (when) => z.union([z.iso.date(), z.iso.datetime({ offset: true })]).safeParse(when).success,
    inputRule(text('must be a date such as 2026-02-01', '2026-02-01 のような日付でなければなりません')),
  );

export const recall = defineTool({
  name: 'recall',
  category: 'memory',
  title: text('Recall', '思い出す'),
  description: text(
    'Find memories, best match first; an empty query lists the newest.',
    'remember で保存した情報を、一致度の高い順に探します。query が空なら新しい順に返します。',
  ),
  permission: 'authenticated',
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
