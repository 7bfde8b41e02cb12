import * as z from 'zod';
import type { ContentBlock } from '../../contract/call.ts';
import type { Place, TextSlice } from '../../contract/capabilities/files.ts';
import { ConfigError, ToolError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import { type Locale, text } from '../../contract/text/text.ts';
import { defineTool, type LooseTool } from '../../contract/tool/define-tool.ts';
import { encodingInJapanese, encodingInput, guessNote } from '../encoding.ts';
import { startLineInput } from '../start-line.ts';

export interface FileReadOptions {
  /** MIME types that may be read beside text, e.g. `image/*`. */
  readonly allowMime: readonly MimePattern[];
}

/** Reads one file: text by lines, other types whole if the operator allows them. */
export function createFileRead({ allowMime }: FileReadOptions): LooseTool {
  return defineTool({
    name: 'file_read',
    category: 'files',
    title: text('Read a file', 'ファイルを読む'),
    description: text(
      'Reads a text file and returns its content, all of it or a range of lines. Long files are cut at a line end; continue with start_line.',
      '指定されたパスのファイルを読み込み、その内容を返します。行の範囲も指定できます。長いファイルは行末で切られます。続きは start_line で読みます。',
    ),
    everyday: true,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    uses: ['files'],
    input: z.object({
      path: z.string().min(1).describe('Relative to the root or absolute, e.g. "src/main.ts".'),
      start_line: startLineInput,
      char_offset: z
        .int()
        .min(0)
        .optional()
        .describe('Characters of that line to skip, from next_char_offset.'),
      end_line: z.int().min(1).optional().describe('e.g. 260.'),
      max_chars: z.int().min(1).max(limits.readMaxChars).optional().describe('e.g. 20000.'),
      encoding: encodingInput,
    }),
    output,
    ja: {
      path: '読み込むファイル。ルートからの相対パスか絶対パス。例: "src/main.ts"',
      start_line: '最初の行。例: 200。-50 は最後の 50 行。',
      char_offset: 'その行で飛ばす文字数。next_char_offset の値。',
      end_line: '最後の行。例: 260',
      max_chars: '返す最大文字数。例: 20000。既定では約 30 KB。',
      content: '内容。例: "# 見出し\\n"',
      encoding: encodingInJapanese,
      mime_type: 'テキスト以外のファイルの種類。例: "image/png"',
      truncated: '求められた範囲の途中で切れている。',
      next_start_line: '続きの最初の行。例: 1201',
      total_lines: 'ファイル全体の行数 (数えた場合)。',
      cut_in_line: '最後の行が max_chars より長く、残りがない。',
      next_char_offset: 'その行の続きの位置。例: 100000',
    },
    example: { path: 'src/main.ts', start_line: 1, end_line: 80 },
    risk: ({ path }, { files }) => ({ reads: [files.at(path).path] }),
    render: (output, locale) => contentBlocks(output, locale),

    async run(
      { path, start_line, char_offset, end_line, max_chars, encoding },
      { files, signal, replyBytes },
    ) {
      const file = files.at(path);
      let slice: TextSlice;
      try {
        slice = await file.readText({
          startLine: start_line,
          charOffset: char_offset,
          endLine: end_line,
          maxChars: max_chars,
          ...(max_chars === undefined && { maxBytes: replyBytes }),
          encoding,
          signal,
        });
      } catch (error) {
        const mime = mimeOfRefused(error);
        const mayBeText = error instanceof ToolError && error.suggestion !== undefined;
        if (mime === undefined || (mayBeText && !matchesMime(mime, allowMime))) throw error;
        return readOther(file, mime, allowMime, signal);
      }
      return {
        content: slice.text,
        encoding: slice.encoding,
        ...(slice.isGuess && { encoding_guessed: true as const }),
        truncated: slice.truncated,
        ...(slice.nextStartLine === undefined ? {} : { next_start_line: slice.nextStartLine }),
        ...(slice.totalLines === undefined ? {} : { total_lines: slice.totalLines }),
        ...(slice.cutInLine ? { cut_in_line: true, next_char_offset: slice.nextCharOffset } : {}),
      };
    },
  });
}

const output = z.object({
  content: z.string().describe('The content, e.g. "# Title\\n".'),
  encoding: z.string().describe('e.g. "utf-8"; "base64" for a file that is not text.'),
  encoding_guessed: z.literal(true).optional(),
  mime_type: z.string().optional().describe('Of a file that is not text, e.g. "image/png".'),
  path: z.string().optional().describe('Of a file that is not text, e.g. "img/logo.png".'),
  truncated: z.boolean().describe('More was asked for than is here.'),
  next_start_line: z.int().optional().describe('Where to go on, e.g. 1201.'),
  total_lines: z.int().optional().describe('Lines of the whole file, where counted.'),
  cut_in_line: z
    .boolean()
    .optional()
    .describe('The last line is longer than max_chars; its rest is missing.'),
  next_char_offset: z.int().optional().describe('Where that line goes on, e.g. 100000.'),
});

type FileReadOutput = z.output<typeof output>;

function contentBlocks(output: FileReadOutput, locale: Locale): string | readonly ContentBlock[] {
  const { content, mime_type: mimeType } = output;
  if (mimeType !== undefined) {
    const kind = mimeType.split('/')[0];
    return kind === 'image' || kind === 'audio'
      ? [{ type: kind, data: content, mimeType }]
      : [
          {
            type: 'resource',
            resource: { uri: `workspace:${encodeURI(output.path ?? '')}`, mimeType, blob: content },
          },
        ];
  }
  const { next_start_line: next, next_char_offset: offset } = output;
  const blocks = [content];
  if (output.encoding_guessed) blocks.push(guessNote(output.encoding)[locale]);
  const more =
    offset === undefined
      ? text(
          `More follows: continue with start_line ${next}.`,
          `続きがあります。start_line ${next} で読めます。`,
        )
      : text(
          `The last line is cut: continue with start_line ${next} and char_offset ${offset}.`,
          `最後の行は途中で切れています。start_line ${next}、char_offset ${offset} で続きを読めます。`,
        );
  if (next !== undefined) blocks.push(`[${more[locale]}]`);
  return blocks.map((words) => ({ type: 'text', text: words }));
}

function mimeOfRefused(error: unknown): string | undefined {
  if (!(error instanceof ToolError) || error.code !== 'unsupported_encoding') return undefined;
  const mime = error.details?.mime_type;
  return typeof mime === 'string' ? mime : undefined;
}

async function readOther(
  file: Place,
  mime: string,
  allowMime: readonly MimePattern[],
  signal: AbortSignal,
): Promise<FileReadOutput> {
  if (!matchesMime(mime, allowMime))
    throw new ToolError(
      'unsupported_encoding',
      `${file.shown} is not text but ${mime}; only text files are read.`,
      `${file.shown} はテキストではなく ${mime} です。読めるのはテキストファイルだけです。`,
      text(
        `The operator can allow it: start with --allow-mime ${mime}.`,
        `運用者が --allow-mime ${mime} を付けて起動すると読めます。`,
      ),
      { mime_type: mime },
    );
  const bytes = await file.readBytes({ signal });
  return {
    content: bytes.toString('base64'),
    encoding: 'base64',
    mime_type: mime,
    path: file.shown,
    truncated: false,
  };
}

/** `type/subtype` or `type/*`, in lower case. */
type MimePattern = `${string}/${string}`;

const pattern = /^[a-z0-9.+-]+\/(?:[a-z0-9.+-]+|\*)$/;

/** Checks a setting. Throws `ConfigError` quoting an invalid pattern. */
export function assertMimePattern(value: string): asserts value is MimePattern {
  if (!pattern.test(value))
    throw new ConfigError(
      `allowMime must hold types like "image/png" or "image/*", got "${value}".`,
      `allowMime には "image/png" や "image/*" のような種類を指定してください（指定値: "${value}"）。`,
    );
}

function matchesMime(mime: string, patterns: readonly MimePattern[]): boolean {
  return patterns.some((allowed) =>
    allowed.endsWith('/*') ? mime.startsWith(allowed.slice(0, -1)) : mime === allowed,
  );
}
