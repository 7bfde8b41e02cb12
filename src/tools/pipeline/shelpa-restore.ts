import * as z from 'zod';
import { writeFacts } from '../../contract/capabilities/mirror.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { recordOutput, recordReply } from './shelpa-pipe.ts';

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
