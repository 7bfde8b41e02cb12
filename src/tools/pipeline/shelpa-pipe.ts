import * as z from 'zod';
import { writeFacts } from '../../contract/capabilities/mirror.ts';
import type {
  PipelineResult,
  Pipelines,
  WorkingFolder,
  WriteRecord,
} from '../../contract/capabilities/pipeline.ts';
import { furtherPipelineCommands, pipelineCommands } from '../../contract/pipeline-commands.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool, type LooseTool } from '../../contract/tool/define-tool.ts';
import { bodyAndFields } from '../../ground/body-and-fields.ts';
import { readPipeline } from './parse.ts';

const teeOutput = z.object({
  path: z.string(),
  bytes: z.int(),
  append: z.boolean(),
  record_id: z.string().describe('For shelpa_restore.'),
  mirror: z.string(),
});

const output = z.object({
  stdout: z.string(),
  meta: z.object({
    steps: z.array(
      z.object({
        command: z.string(),
        output_size: z.int().optional(),
        truncated: z.boolean(),
        execution_time_ms: z.int(),
        exit_code: z.int(),
        stderr: z.string().optional(),
      }),
    ),
    tee: teeOutput.nullable(),
  }),
  truncated: z.boolean().optional().describe('The middle of stdout was cut.'),
  next_cursor: z.string().optional().describe('Reads on from the cut.'),
  new_cwd: z.string().optional(),
  notice: z.string().optional(),
});

/** Document 004's tool: one pipeline, or a change of the working folder. */
export function createShelpaPipe({ extended }: { readonly extended: boolean }): LooseTool {
  const read = (command: string, pipelines: Pipelines, folder: WorkingFolder) =>
    readPipeline(command, {
      extended,
      cwd: folder.path,
      expand: (pattern) => pipelines.expand(pattern, folder),
      readProgram: (path) => pipelines.readProgram(path, folder),
    });

  const names = extended ? `${pipelineCommands} ${furtherPipelineCommands}` : pipelineCommands;
  return defineTool({
    name: 'shelpa_pipe',
    title: text('Run a pipeline', 'パイプラインを実行'),
    description: text(
      `Run commands joined by | without a shell: ${names}; alone: pwd, cd PATH. Save with | tee FILE.`,
      `シェルを使わずにコマンドを | でつないで実行します: ${names}。単独なら pwd と cd PATH。保存は | tee FILE。`,
    ),
    everyday: true,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    uses: ['pipelines'],
    input: z.object({
      command: z.string().describe('e.g. "tail -n 100 app.log | rg ERROR | sort -u".'),
      cwd: z.string().optional().describe('Working folder for this call, e.g. "src".'),
      confirm_oversize: z.boolean().default(false).describe('Let tee write more than 1 MiB.'),
      timeout_ms: z.int().min(100).max(120_000).default(30_000).describe('e.g. 60000.'),
      cursor: z.string().optional().describe('next_cursor of a cut reply: returns more of it, runs nothing.'),
    }),
    output,
    ja: {
      command: '例: "tail -n 100 app.log | rg ERROR | sort -u"',
      cwd: 'この呼び出しの作業フォルダー。例: "src"',
      confirm_oversize: '1 MiB を超える tee の書き込みを許可します。',
      timeout_ms: '例: 60000',
      cursor: '省略された出力の next_cursor。続きを返し、何も実行しません。',
      truncated: 'stdout の途中が省略されました。',
      next_cursor: '省略箇所から続きを読みます。',
      'meta.tee.record_id': 'shelpa_restore に渡します。',
    },
    example: { command: 'tail -n 100 app.log | rg ERROR' },

    risk({ command, cwd, cursor }, { pipelines }) {
      if (cursor !== undefined) return {};
      try {
        const folder = pipelines.workingFolder(cwd);
        const reading = read(command, pipelines, folder);
        if (reading.kind !== 'pipeline') return { workingFolder: folder.path };
        const writes = reading.stages.flatMap(({ work }) =>
          work.kind === 'tee' ? [within(folder, work.target)] : [],
        );
        return { workingFolder: folder.path, ...(writes.length > 0 ? { writes } : {}) };
      } catch {
        // An invalid command is refused when it runs, with the reason.
        return {};
      }
    },

    render: (shown) => bodyAndFields(shown, 'stdout'),

    async run(
      { command, cwd, confirm_oversize, timeout_ms, cursor },
      { pipelines, signal, audit, meta, locale, replyBytes },
    ) {
      if (cursor !== undefined) {
        const page = await pipelines.readOn(cursor, replyBytes);
        return {
          stdout: page.text,
          meta: { steps: [], tee: null },
          ...(page.nextCursor === undefined ? {} : { next_cursor: page.nextCursor }),
        };
      }
      const folder = pipelines.workingFolder(cwd);
      const notice = vanishedNotice(folder)?.[locale];
      const noticed = notice === undefined ? {} : { notice };
      const reading = read(command, pipelines, folder);
      if (reading.kind === 'pwd')
        return { stdout: `${folder.path}\n`, meta: { steps: [], tee: null }, ...noticed };
      if (reading.kind === 'cd') {
        const path = pipelines.changeFolder(reading.path, folder);
        return { stdout: '', meta: { steps: [], tee: null }, new_cwd: path, ...noticed };
      }
      const result = await pipelines.run({
        stages: reading.stages,
        folder,
        timeoutMs: timeout_ms,
        confirmOversize: confirm_oversize,
        shownBytes: replyBytes,
        signal,
      });
      if (result.tee) audit(writeFacts(result.tee));
      meta({ sandbox: result.sandbox });
      return { ...replyOf(result), ...noticed };
    },
  });
}

/** A working folder's path relative to the root, as rules write it. */
function within(folder: WorkingFolder, path: string): string {
  return folder.path === '.' || path.startsWith('/') ? path.replace(/^\.\//, '') : `${folder.path}/${path}`;
}

function vanishedNotice({ vanished }: WorkingFolder) {
  return vanished === undefined
    ? undefined
    : text(
        `${vanished} is gone; this ran in the root.`,
        `${vanished} がなくなったため、ルートで実行しました。`,
      );
}

function replyOf(result: PipelineResult): z.input<typeof output> {
  return {
    stdout: result.stdout,
    meta: { steps: [...result.steps], tee: result.tee ? teeReply(result.tee) : null },
    ...(result.truncated ? { truncated: true } : {}),
    ...(result.nextCursor === undefined ? {} : { next_cursor: result.nextCursor }),
  };
}

/** The reply of a tool that only writes. */
export const recordOutput = z.object({
  stdout: z.string(),
  meta: z.object({ steps: z.array(z.string()), tee: teeOutput }),
});

export function recordReply(record: WriteRecord) {
  return { stdout: '', meta: { steps: [], tee: teeReply(record) } };
}

function teeReply({ path, bytes, append, recordId, mirror }: WriteRecord) {
  return { path, bytes, append, record_id: recordId, mirror };
}
