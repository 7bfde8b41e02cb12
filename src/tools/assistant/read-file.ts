import * as z from 'zod';
import { limits } from '../../contract/limits.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { encodingInJapanese, encodingInput, guessNote } from '../encoding.ts';
import { startLineInput } from '../start-line.ts';
import { cleanName, pathInput, placeToRead } from './paths.ts';

export const readFile = defineTool({
  name: 'read_file',
  category: 'files',
  title: text('Read a file', 'ファイルを読む'),
  description: text(
    'Read a text file or a range of its lines.',
    'テキストファイルの内容を、全部または行の範囲で読みます。長いファイルは行末で切られます。続きは start_line で読みます。',
  ),
  everyday: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['desk'],
  input: z.object({
    path: pathInput.describe('e.g. "config.txt".'),
    start_line: startLineInput,
    char_offset: z.int().min(0).optional().describe('From next_char_offset.'),
    end_line: z.int().min(1).optional().describe('e.g. 260.'),
    max_chars: z.int().min(1).max(limits.readMaxChars).optional().describe('e.g. 20000.'),
    line_numbers: z.boolean().default(false).describe('Numbered.'),
    encoding: encodingInput,
  }),
  output: z.object({
    path: z.string().describe('Relative to the workspace, e.g. "notes/a.md".'),
    content: z.string(),
    start_line: z.int(),
    end_line: z.int(),
    total_lines: z.int().optional().describe('Where counted.'),
    encoding: z.string().describe('e.g. "utf-8".'),
    encoding_guessed: z.literal(true).optional(),
    truncated: z.boolean().describe('More was asked for than is here.'),
    next_start_line: z.int().optional().describe('Where to go on.'),
    cut_in_line: z.boolean().optional().describe('The last line is longer than max_chars.'),
    next_char_offset: z.int().optional().describe('Where that line goes on.'),
  }),
  ja: {
    path: '相対パス。例: "config.txt"',
    start_line: '最初の行。例: 200。-50 は最後の 50 行。',
    char_offset: 'その行で飛ばす文字数 (next_char_offset)。',
    end_line: '最後の行。例: 260',
    max_chars: '例: 20000。既定では約 30 KB',
    line_numbers: '各行の前に行番号とタブを付ける。',
    total_lines: '数えた場合。',
    encoding: encodingInJapanese,
    truncated: '求められた範囲の途中で切れている。',
    next_start_line: '続きの最初の行。',
    cut_in_line: '最後の行が max_chars より長い。',
    next_char_offset: 'その行の続きの位置。',
  },
  example: { path: 'config.txt' },
  risk: ({ path }, { desk }) => ({ reads: [placeToRead(desk, path).shown] }),
  render: ({ content, next_start_line: next, next_char_offset: offset, ...written }, locale) => {
    const blocks = [content];
    if (written.encoding_guessed) blocks.push(guessNote(written.encoding)[locale]);
    const more =
      offset === undefined
        ? text(`More follows: start_line ${next}.`, `続きは start_line ${next} です。`)
        : text(
            `The line continues: start_line ${next}, char_offset ${offset}.`,
            `行の途中です。続きは start_line ${next}、char_offset ${offset} です。`,
          );
    if (next !== undefined) blocks.push(`[${more[locale]}]`);
    return blocks.map((words) => ({ type: 'text', text: words }));
  },

  async run(
    { path, start_line, char_offset, end_line, max_chars, line_numbers, encoding },
    { desk, signal, replyBytes },
  ) {
    const { place, shown } = placeToRead(desk, path);
    const slice = await place.readText({
      startLine: start_line,
      charOffset: char_offset,
      endLine: end_line,
      maxChars: max_chars,
      ...(max_chars === undefined && { maxBytes: replyBytes }),
      encoding,
      signal,
    });
    return {
      path: cleanName(shown),
      content: line_numbers ? numbered(slice.text, slice.startLine) : slice.text,
      start_line: slice.startLine,
      end_line: slice.endLine,
      ...(slice.totalLines !== undefined && { total_lines: slice.totalLines }),
      encoding: slice.encoding,
      ...(slice.isGuess && { encoding_guessed: true as const }),
      truncated: slice.truncated,
      ...(slice.nextStartLine !== undefined && { next_start_line: slice.nextStartLine }),
      ...(slice.cutInLine && { cut_in_line: true, next_char_offset: slice.nextCharOffset }),
    };
  },
});

function numbered(content: string, firstLine: number): string {
  const lines = content.split('\n');
  // The text after the last newline, if empty, is not a line.
  const end = lines.at(-1) === '' ? lines.pop() : undefined;
  return (
    lines.map((line, index) => `${firstLine + index}\t${line}`).join('\n') + (end === undefined ? '' : '\n')
  );
}
