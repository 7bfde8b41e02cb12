import * as z from 'zod';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { bodyAndFields } from '../../ground/body-and-fields.ts';
import { jaMaxChars, jaNotePath, nextStart, notePath, partLimits, readNotePart } from './parts.ts';
import { noteAt } from './rules.ts';

export const vaultScan = defineTool({
  name: 'vault_scan',
  title: text('Go through a note', 'ノートの順読み'),
  description: text(
    'Read a long note chunk by chunk: pass next_cursor as cursor until eof is true. changed: true means the note changed since the last chunk.',
    '長いノートを少しずつ読みます。eof が true になるまで next_cursor を cursor に渡します。changed: true は前回からノートが変わったことを示します。',
  ),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['vault'],
  input: z.object({
    path: notePath,
    cursor: z
      .strictObject({
        start_line: z.int().min(1).nullish().describe('First line, e.g. 81; default 1.'),
        char_offset: z.int().min(0).nullish().describe('Characters of that line to skip.'),
        version: z.string().max(64).nullish().describe('The note as it was at the last chunk.'),
      })
      .nullish()
      .describe('next_cursor of the last chunk; none at first.'),
    chunk_lines: z.int().min(1).nullish().describe('Lines per chunk, e.g. 80.'),
    limits: partLimits,
  }),
  output: z.object({
    text: z.string(),
    applied_range: z.object({ start_line: z.int(), end_line: z.int() }),
    next_cursor: z.object({
      start_line: z.int().nullable(),
      char_offset: z.int().optional(),
      version: z.string().optional(),
    }),
    eof: z.boolean(),
    truncated: z.boolean(),
    truncated_reason: z.enum(['none', 'chunk_end', 'max_chars', 'hard_limit']),
    changed: z.literal(true).optional(),
  }),
  ja: {
    path: jaNotePath,
    cursor: '前回の next_cursor。最初は不要',
    'cursor.start_line': '最初の行。例: 81。省略時は 1',
    'cursor.char_offset': 'その行で飛ばす文字数',
    'cursor.version': '前回読んだときのノートの版',
    chunk_lines: '1 回に読む行数。例: 80',
    'limits.max_chars': jaMaxChars,
  },
  example: { path: 'log.md', cursor: { start_line: 81 }, chunk_lines: 80 },
  risk: ({ path }, { vault }) => ({ reads: [noteAt(vault, path).path] }),
  render: (output) => bodyAndFields(output, 'text'),

  async run({ path, cursor, chunk_lines, limits }, { vault, signal }) {
    const place = noteAt(vault, path);
    const { defaultChunkLines, maxChunkLines } = vault.settings;
    const lines = chunk_lines ?? defaultChunkLines;
    if (lines > maxChunkLines)
      throw new ToolError(
        'invalid_parameter',
        `chunk_lines must be at most ${maxChunkLines}.`,
        `chunk_lines は ${maxChunkLines} 以下でなければなりません。`,
        { details: { field: 'chunk_lines', max: maxChunkLines } },
      );
    const startLine = cursor?.start_line ?? 1;
    const { part, cutBy } = await readNotePart(vault, place, {
      argument: 'cursor',
      startLine,
      charOffset: cursor?.char_offset ?? 0,
      endLine: startLine + lines - 1,
      maxChars: limits?.max_chars,
      signal,
    });
    const reason = cutBy ?? (part.next ? ('chunk_end' as const) : ('none' as const));
    return {
      text: part.text,
      applied_range: { start_line: part.startLine, end_line: part.endLine },
      next_cursor: { ...nextStart(part), ...(part.next && { version: part.version }) },
      eof: part.next === undefined,
      truncated: reason !== 'none',
      truncated_reason: reason,
      ...(cursor?.version != null && cursor.version !== part.version && { changed: true as const }),
    };
  },
});
