import * as z from 'zod';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { bodyAndFields } from '../../ground/body-and-fields.ts';
import { jaMaxChars, jaNotePath, nextStart, notePath, partLimits, readNotePart } from './parts.ts';
import { noteAt } from './rules.ts';

export const vaultRead = defineTool({
  name: 'vault_read',
  title: text('Read a note', 'ノートの読み取り'),
  description: text(
    'Read lines of a note, or all of it with full. To continue, pass next_offset as range. Use vault_scan to go through a long note.',
    'ノートの行、または full で全体を読みます。続きは next_offset を range に渡します。長いノートを順に読むときは vault_scan を使います。',
  ),
  everyday: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['vault'],
  input: z.object({
    path: notePath,
    full: z.boolean().nullish().describe('true: from the start; range is ignored.'),
    range: z
      .strictObject({
        start_line: z.int().min(1).nullish().describe('First line, e.g. 1.'),
        end_line: z.int().min(1).nullish().describe('Last line, e.g. 40; default the last.'),
        char_offset: z
          .int()
          .min(0)
          .nullish()
          .describe('From next_offset: characters of the first line to skip.'),
      })
      .nullish()
      .describe('Required unless full, e.g. {"start_line": 1, "end_line": 40}.'),
    limits: partLimits,
  }),
  output: z.object({
    text: z.string(),
    truncated: z.boolean(),
    returned_chars: z.int(),
    applied_range: z.object({ start_line: z.int(), end_line: z.int() }),
    next_offset: z.object({ start_line: z.int().nullable(), char_offset: z.int().optional() }),
    truncated_reason: z.enum(['none', 'range_end', 'max_chars', 'hard_limit']),
  }),
  ja: {
    path: jaNotePath,
    full: 'true なら先頭から読み、range は無視します。',
    range: 'full でなければ必須。例: {"start_line": 1, "end_line": 40}',
    'range.start_line': '最初の行。例: 1',
    'range.end_line': '最後の行。例: 40。省略時は最終行',
    'range.char_offset': 'next_offset の値。最初の行で飛ばす文字数',
    'limits.max_chars': jaMaxChars,
  },
  example: { path: 'ideas/house.md', range: { start_line: 1, end_line: 40 } },
  risk: ({ path }, { vault }) => ({ reads: [noteAt(vault, path).path] }),
  render: (output) => bodyAndFields(output, 'text'),

  async run({ path, full, range, limits }, { vault, signal }) {
    const place = noteAt(vault, path);
    const wanted = full ? {} : range;
    if (!wanted)
      throw new ToolError(
        'invalid_parameter',
        'range is required unless full is true.',
        'full が true でなければ range は必須です。',
        text(
          'Pass range, e.g. {"start_line": 1, "end_line": 40}, or full: true.',
          'range (例: {"start_line": 1, "end_line": 40}) か full: true を渡してください。',
        ),
        { field: 'range' },
      );
    const startLine = wanted.start_line ?? 1;
    const endLine = wanted.end_line ?? undefined;
    if (endLine !== undefined && startLine > endLine)
      throw new ToolError(
        'invalid_parameter',
        `range.start_line ${startLine} is after range.end_line ${endLine}.`,
        `range.start_line ${startLine} が range.end_line ${endLine} より後です。`,
        { details: { field: 'range.start_line' } },
      );
    const { part, cutBy } = await readNotePart(vault, place, {
      argument: 'range',
      startLine,
      charOffset: wanted.char_offset ?? 0,
      endLine,
      maxChars: limits?.max_chars,
      signal,
    });
    const reason = cutBy ?? (part.next ? ('range_end' as const) : ('none' as const));
    return {
      text: part.text,
      truncated: reason !== 'none',
      returned_chars: part.chars,
      applied_range: { start_line: part.startLine, end_line: part.endLine },
      next_offset: nextStart(part),
      truncated_reason: reason,
    };
  },
});
