import * as z from 'zod';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';

/** Lists the writes of tee and shelpa_write. */
export const shelpaHistory = defineTool({
  name: 'shelpa_history',
  title: text('List recorded writes', '書き込み履歴'),
  description: text(
    'List what tee and shelpa_write wrote, newest first.',
    'tee と shelpa_write の書き込みを新しい順に一覧します。',
  ),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['pipelines'],
  input: z.object({
    path: z.string().min(1).optional().describe('Only this file, e.g. "notes/today.md".'),
    limit: z.int().min(1).max(200).default(20).describe('e.g. 20.'),
    cursor: z
      .string()
      .regex(/^\d{1,20}$/)
      .optional()
      .describe('next_cursor of the page before.'),
  }),
  output: z.object({
    records: z.array(
      z.object({
        record_id: z.string(),
        ts: z.string(),
        path: z.string(),
        mode: z.string(),
        bytes: z.int(),
        sha256: z.string(),
        command: z.string(),
        session: z.string(),
      }),
    ),
    next_cursor: z.string().optional(),
  }),
  ja: {
    path: 'このファイルだけ。例: "notes/today.md"',
    limit: '例: 20',
    cursor: '前のページの next_cursor。',
  },
  example: { path: 'notes/today.md' },

  async run({ path, limit, cursor }, { pipelines }) {
    const page = await pipelines.history({
      ...(path === undefined ? {} : { path }),
      folder: pipelines.workingFolder(),
      limit,
      ...(cursor === undefined ? {} : { before: cursor }),
    });
    return {
      records: [...page.entries],
      ...(page.nextCursor === undefined ? {} : { next_cursor: page.nextCursor }),
    };
  },
});
