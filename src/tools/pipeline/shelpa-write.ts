import * as z from 'zod';
import { writeFacts } from '../../contract/capabilities/mirror.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { recordOutput, recordReply } from './shelpa-pipe.ts';

/** Document 004's tee for content from the model. */
export const shelpaWrite = defineTool({
  name: 'shelpa_write',
  title: text('Write a file, recorded', 'ファイルを書いて記録'),
  description: text(
    'Write text to a file as tee does: atomically, and kept in .shelpa/ for shelpa_history and shelpa_restore.',
    'tee と同じくアトミックに書き込み、.shelpa/ に記録します (shelpa_history と shelpa_restore で参照と復元)。',
  ),
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  uses: ['pipelines'],
  input: z.object({
    path: z.string().min(1).describe('e.g. "notes/today.md".'),
    content: z.string().describe('The text.'),
    mode: z
      .enum(['overwrite', 'append', 'create'])
      .default('overwrite')
      .describe('create fails if the file exists.'),
    cwd: z.string().optional().describe('Folder that path starts from, e.g. "src".'),
    confirm_oversize: z.boolean().default(false).describe('Write more than 1 MiB.'),
  }),
  output: recordOutput,
  ja: {
    'meta.tee.record_id': 'shelpa_restore に渡します。',
    path: '例: "notes/today.md"',
    content: '書き込む文章。',
    mode: 'create はファイルがあれば失敗します。',
    cwd: 'path の起点のフォルダー。例: "src"',
    confirm_oversize: '1 MiB を超えて書き込みます。',
  },
  example: { path: 'notes/today.md', content: '# Today\n' },

  risk({ path, cwd }, { pipelines }) {
    const from = cwd ?? pipelines.workingFolder().path;
    return { writes: [from === '.' || path.startsWith('/') ? path : `${from}/${path}`] };
  },

  async run({ path, content, mode, cwd, confirm_oversize }, { pipelines, signal, audit }) {
    const record = await pipelines.write({
      path,
      content,
      mode,
      folder: pipelines.workingFolder(cwd),
      confirmOversize: confirm_oversize,
      command: 'shelpa_write',
      signal,
    });
    audit(writeFacts(record));
    return recordReply(record);
  },
});
