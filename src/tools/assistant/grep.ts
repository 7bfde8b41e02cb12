import * as z from 'zod';
import { cleanText } from '../../contract/text/clean-text.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { cursorInput, offsetOf } from './cursor.ts';
import { cleanName, folderInput, groundsOf, nameBelow } from './paths.ts';

const line = z.object({ path: z.string(), line: z.int(), text: z.string(), around: z.boolean().optional() });
type Line = z.output<typeof line>;

export const grep = defineTool({
  name: 'grep',
  category: 'files',
  title: text('Search in files', 'ファイル内容を検索'),
  description: text(
    'Search in files by a regular expression (ripgrep). For names use glob.',
    'ファイル内容を正規表現で検索します (ripgrep)。名前で探すには glob を使います。',
  ),
  everyday: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['desk', 'search'],
  input: z.object({
    pattern: z.string().min(1).max(4096).describe('e.g. "fn \\\\w+\\\\(".'),
    path: folderInput.describe('Folder or file.'),
    glob: z.string().min(1).max(1000).optional().describe('e.g. "*.rs".'),
    ignore_case: z.boolean().default(false).describe('A like a.'),
    fixed: z.boolean().default(false).describe('Plain words.'),
    multiline: z.boolean().default(false).describe('Across lines.'),
    context: z.int().min(0).max(20).default(0).describe('Lines around.'),
    output: z.enum(['content', 'files', 'count']).default('content').describe('Form.'),
    include_ignored: z.boolean().default(false).describe('Also ignored.'),
    limit: z.int().min(1).max(2000).default(100).describe('e.g. 50.'),
    cursor: cursorInput.optional().describe('next_cursor.'),
  }),
  output: z.object({
    lines: z.array(line).optional().describe('"around" marks lines that do not match.'),
    files: z.array(z.object({ path: z.string(), count: z.int().optional() })).optional(),
    searched: z.int().optional().describe('Files looked into, where nothing matches.'),
    not_searched: z
      .object({ count: z.int(), paths: z.array(z.string()) })
      .optional()
      .describe('Files that cannot be read as text, where nothing matches.'),
    not_text: z.array(z.string()).optional().describe('Files with a NUL that match, too: not shown.'),
    next_cursor: z.string().optional(),
  }),
  ja: {
    pattern: '例: "TODO"、"fn \\\\w+\\\\("',
    path: 'ディレクトリかファイル。例: "src"',
    glob: '対象のファイル。例: "*.rs"',
    ignore_case: '大文字と小文字を区別しない。',
    fixed: 'パターンを文字どおりに扱う。',
    multiline: '複数行にわたる一致を許す。',
    context: '一致の前後に返す行数。例: 2',
    output: '行、ファイル、件数のどれを返すか。',
    include_ignored: '.gitignore の対象も含める。',
    limit: '一致する行またはファイルの数。例: 50',
    cursor: '前回の next_cursor。',
    lines: 'around は一致しない前後の行。',
    searched: '一致がないとき、調べたファイル数。',
    not_searched: '一致がないとき、テキストとして読めないファイル。',
    not_text: 'NUL を含み、行を示せないが、一致するファイル。',
  },
  example: { pattern: 'TODO', glob: '*.rs' },
  risk: ({ path }, { desk }) => ({ reads: groundsOf(desk, path).map(({ shown }) => shown) }),
  render: ({ lines, files, searched, not_searched: unread, not_text: odd, next_cursor: next }, locale) => {
    const shown = lines
      ? lines.map(({ path, line, text: words, around }) =>
          around ? `${path}-${line}-${words}` : `${path}:${line}:${words}`,
        )
      : (files ?? []).map(({ path, count }) => (count === undefined ? path : `${path}:${count}`));
    if (searched !== undefined) return nothingMatches(searched, unread)[locale];
    if (shown.length === 0) return text('Nothing more matches.', 'これ以上の一致はありません。')[locale];
    if (odd)
      shown.push(
        text(`[Not text, but matches too: ${odd.join(', ')}]`, `[テキストではないが一致: ${odd.join(', ')}]`)[
          locale
        ],
      );
    if (next !== undefined)
      shown.push(text(`[More follows: cursor ${next}]`, `[続きは cursor ${next}]`)[locale]);
    return shown.join('\n');
  },

  async run(input, { desk, search, signal, replyBytes }) {
    const { pattern, path, output, context, limit, cursor } = input;
    const lines: Line[] = [];
    const files: { path: string; count?: number }[] = [];
    const end = offsetOf(cursor) + limit;
    let before = 0;
    let more = false;
    let searched = 0;
    const unread: string[] = [];
    let bytes = 0;
    /** The number of lines that fit, up to the last whole match; the first always fits, so that paging advances. */
    let fitting = 0;
    let isCut = false;
    for (const { place, shown, skip } of groundsOf(desk, path)) {
      if (more || isCut) break;
      const found = await search.content({
        below: place,
        pattern,
        glob: input.glob,
        ignoreCase: input.ignore_case,
        fixed: input.fixed,
        multiline: input.multiline,
        includeIgnored: input.include_ignored,
        context,
        output,
        skip,
        continues: cursor !== undefined,
        offset: Math.max(0, end - limit - before),
        // Asks for one more than a page, to see whether there is a next page.
        limit: Math.max(1, end - Math.max(before, end - limit)),
        signal,
      });
      if (before >= end) {
        more = found.seen > 0;
        break;
      }
      for (const line of found.lines) {
        const name = cleanName(nameBelow(shown, line.path));
        const words = cleanText(line.text);
        bytes += Buffer.byteLength(`${name}:${line.line}:${words}\n`);
        // A match of several lines is one: a page does not end inside it.
        isCut = bytes > replyBytes && fitting > 0 && !input.multiline;
        if (isCut) break;
        lines.push({ path: name, line: line.line, text: words, ...(!line.isMatch && { around: true }) });
        if (line.isMatch) fitting = lines.length;
      }
      for (const file of found.files) {
        files.push({
          path: cleanName(nameBelow(shown, file.path)),
          ...(file.count !== undefined && { count: file.count }),
        });
      }
      before += found.seen;
      searched += found.searched ?? 0;
      for (const odd of found.unread ?? []) unread.push(cleanName(nameBelow(shown, odd)));
      more = found.more;
    }
    if (isCut) lines.length = fitting;
    const cutAt = isCut ? end - limit + lines.filter(isMatch).length : end;
    return {
      ...(output === 'content' ? { lines } : { files }),
      ...(before === 0 && { searched }),
      ...(before === 0 &&
        unread.length > 0 && { not_searched: { count: unread.length, paths: unread.slice(0, 20) } }),
      ...(before > 0 && unread.length > 0 && { not_text: unread.slice(0, 20) }),
      ...((more || cutAt < end) && { next_cursor: String(cutAt) }),
    };
  },
});

const isMatch = ({ around }: Line) => around !== true;

function nothingMatches(
  searched: number,
  unread: { readonly count: number; readonly paths: readonly string[] } | undefined,
): Text {
  if (unread) {
    const { count, paths } = unread;
    const names = paths.slice(0, 5).join(', ') + (count > 5 ? ', …' : '');
    return text(
      `0 of ${searched} files match. ${count} more cannot be read as text and may hold it: ${names}`,
      `${searched} 個のファイルのうち一致は 0 個です。ほかにテキストとして読めず確かめられないものが ${count} 個あります: ${names}`,
    );
  }
  if (searched > 0)
    return text(`0 of ${searched} files match.`, `${searched} 個のファイルのうち一致は 0 個です。`);
  return text(
    'There was no file to search: look at path and glob; include_ignored adds what .gitignore leaves out.',
    '検索対象のファイルがありません。path と glob を確認してください。.gitignore の対象は include_ignored で含められます。',
  );
}
