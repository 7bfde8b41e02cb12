import * as z from 'zod';
import type { Place, Written } from '../../contract/capabilities/files.ts';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool, type LooseTool } from '../../contract/tool/define-tool.ts';
import { counted } from '../../ground/counted.ts';
import { assertNotExecutable } from './executable.ts';

export interface FileWriteOptions {
  /** Lifts the refusal of programs and scripts. */
  readonly allowExecutable: boolean;
}

/** Writes one text file, new or in place of another. */
export function createFileWrite({ allowExecutable }: FileWriteOptions): LooseTool {
  return defineTool({
    name: 'file_write',
    category: 'files',
    title: text('Write a file', 'ファイルを書く'),
    description: text(
      'Creates a text file, with its folders, or replaces one when overwrite is true.',
      '指定されたパスにファイルを作成または上書きし、内容を書き込みます。親フォルダーも作ります。',
    ),
    everyday: true,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    changesFiles: true,
    uses: ['files'],
    input: z.object({
      path: z.string().min(1).describe('e.g. "notes/today.md".'),
      content: z.string().describe('New text.'),
      overwrite: z.boolean().default(false).describe('Replace the file if it exists.'),
    }),
    output: z.object({
      success: z.boolean().describe('The file is on disk.'),
      path: z.string().describe('As written, e.g. "notes/today.md".'),
      written_bytes: z.int().describe('e.g. 8'),
      created: z.boolean().describe('It did not exist before.'),
    }),
    ja: {
      path: '書き込むファイル。例: "notes/today.md"',
      content: 'ファイルに書き込む内容の全体。例: "# 今日\\n"',
      overwrite: '既存のファイルを上書きするか。',
      success: '書き込みが成功したか。',
      written_bytes: '例: 8',
      created: '新しく作ったか。',
    },
    example: { path: 'notes/today.md', content: '# Today\n' },
    risk: ({ path }, { files }) => ({ writes: [files.at(path).path] }),

    render: ({ path, written_bytes, created }, locale) =>
      text(
        `${created ? 'Created' : 'Replaced'} ${path}: ${counted(written_bytes, 'byte')}.`,
        `${path} を${created ? '作成' : '上書き'}しました (${written_bytes} バイト)。`,
      )[locale],

    async run({ path, content, overwrite }, { files, signal, audit }) {
      const file = files.at(path);
      if (!allowExecutable) assertNotExecutable(file, content);
      const written = await (overwrite
        ? file.replace(content, { signal, fromEarlier: true })
        : create(file, content, signal));
      audit({ wrote: file.path, bytes: written.bytes, created: written.created });
      return { success: true, path: file.shown, written_bytes: written.bytes, created: written.created };
    },
  });
}

/** Adds to a conflict which argument of this tool replaces the file. */
async function create(file: Place, content: string, signal: AbortSignal): Promise<Written> {
  try {
    return await file.create(content, { signal });
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'conflict' || !file.exists()) throw error;
    if (file.stat().kind !== 'file') throw error;
    const instead = text(
      'Set overwrite to true to replace it, or choose another name.',
      '置き換えるには overwrite を true にします。または別の名前にしてください。',
    );
    throw error.inWords(error.text, instead);
  }
}
