import * as z from 'zod';
import { writeFacts } from '../../contract/capabilities/mirror.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { recordOutput, recordReply } from './shelpa-pipe.ts';

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

/** Restores a file to its state after a recorded write. */
export const shelpaRestore = defineTool({
  name: 'shelpa_restore',
  title: text('Restore a recorded write', '書き込みを復元'),
  description: text(
    'Restore a file to its state after a record of shelpa_history; itself a recorded write.',
    'shelpa_history の記録の時点の内容にファイルを戻します (これも記録されます)。',
  ),
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  uses: ['pipelines'],
  input: z.object({
    record_id: z
      .string()
      .regex(/^\d{1,20}$/)
      .describe('e.g. "1772025450395572000".'),
    confirm_oversize: z.boolean().default(false).describe('Write more than 1 MiB.'),
  }),
  output: recordOutput,
  ja: {
    'meta.tee.record_id': 'shelpa_restore に渡します。',
    record_id: '例: "1772025450395572000"',
    confirm_oversize: '1 MiB を超えて書き込みます。',
  },
  example: { record_id: '1772025450395572000' },

  async run({ record_id, confirm_oversize }, { pipelines, signal, audit }) {
    const record = await pipelines.restore(record_id, { confirmOversize: confirm_oversize, signal });
    audit({ ...writeFacts(record), restored: record_id });
    return recordReply(record);
  },
});
