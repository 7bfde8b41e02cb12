import * as z from 'zod';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { cursorInput, offsetOf } from './cursor.ts';
import { cleanName, folderInput, groundsOf, nameBelow } from './paths.ts';

export const glob = defineTool({
  name: 'glob',
  category: 'files',
  title: text('Find files by name', 'ファイル名で探す'),
  description: text(
    'Find files by path: * stays in a folder, ** crosses folders. For contents use grep.',
    'ファイル名パターンで検索します。* は階層を越えず、** は越えます。内容の検索には grep を使います。',
  ),
  everyday: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['desk', 'search'],
  input: z.object({
    pattern: z.string().min(1).max(1000).describe('e.g. "src/**/*.ts".'),
    path: folderInput.describe('e.g. "src".'),
    include_ignored: z.boolean().default(false).describe('Also ignored.'),
    newest_first: z.boolean().default(false).describe('By time.'),
    limit: z.int().min(1).max(5000).default(200).describe('e.g. 50.'),
    cursor: cursorInput.optional().describe('next_cursor.'),
  }),
  output: z.object({
    paths: z.array(z.string()).describe('Relative to the workspace.'),
    total: z.int(),
    searched: z.int().describe('How many files there were.'),
    deeper: z.int().optional().describe('How many **/PATTERN finds, where PATTERN finds none.'),
    ignored: z.int().optional().describe('How many include_ignored finds, where nothing else does.'),
    next_cursor: z.string().optional(),
  }),
  ja: {
    pattern: '例: "**/*.rs"、"src/**/*.{ts,tsx}"、"*.txt"',
    path: '検索開始ディレクトリ。例: "src"',
    include_ignored: '.gitignore の対象も含める。',
    newest_first: 'パス順でなく更新の新しい順。',
    limit: '例: 50',
    cursor: '前回の next_cursor。',
    paths: 'ワークスペースからの相対パス。',
    searched: '対象のファイル数。',
    deeper: '一致がないとき、**/PATTERN なら見つかる数。',
    ignored: '一致がないとき、include_ignored なら見つかる数。',
  },
  example: { pattern: '**/*.rs' },
  risk: ({ pattern, path }, { desk }) => ({
    reads: groundsOf(desk, startOf(pattern, path).path).map(({ shown }) => shown),
  }),
  render: ({ paths, total, searched, deeper, ignored = 0, next_cursor: next }, locale) => {
    if (searched === 0 && ignored === 0)
      return text(
        'There is no file below that folder; include_ignored adds what .gitignore leaves out.',
        'そのフォルダーの下にファイルがありません。.gitignore の対象は include_ignored で含められます。',
      )[locale];
    if (total === 0) {
      const none = text(`0 of ${searched} files match.`, `${searched} 個のファイルのうち一致は 0 個です。`);
      const below = text(
        ` In folders below ${deeper} would: put **/ before the pattern.`,
        `下の階層には ${deeper} 個あります。パターンの前に **/ を付けてください。`,
      );
      const left = text(
        ` Of those that .gitignore leaves out, ${ignored} would: set include_ignored.`,
        ` .gitignore の対象には ${ignored} 個あります。include_ignored を指定してください。`,
      );
      return none[locale] + (deeper === undefined ? '' : below[locale]) + (ignored > 0 ? left[locale] : '');
    }
    const more =
      next === undefined
        ? ''
        : text(`\n[${total} in all; cursor ${next}]`, `\n[全 ${total} 件、続きは cursor ${next}]`)[locale];
    return paths.join('\n') + more;
  },

  async run({ pattern, path, include_ignored, newest_first, limit, cursor }, { desk, search, signal }) {
    const offset = offsetOf(cursor);
    const found: string[] = [];
    let total = 0;
    let searched = 0;
    let deeper = 0;
    let ignored = 0;
    const start = startOf(pattern, path);
    const grounds = groundsOf(desk, start.path);
    for (const { place, shown, skip } of grounds) {
      const names = await search.names({
        below: place,
        pattern: start.pattern,
        includeIgnored: include_ignored,
        newestFirst: newest_first,
        skip,
        continues: cursor !== undefined,
        limit: offset + limit,
        signal,
      });
      total += names.total;
      searched += names.searched;
      deeper += names.deeper;
      for (const name of names.paths) found.push(cleanName(nameBelow(shown, name)));
    }
    if (total === 0 && !include_ignored) {
      for (const { place, skip } of grounds) {
        const query = { below: place, pattern: start.pattern, includeIgnored: true, skip, limit: 1, signal };
        ignored += (await search.names(query)).total;
      }
    }
    const paths = found.slice(offset, offset + limit);
    const next = offset + paths.length;
    return {
      paths,
      total,
      searched,
      ...(total === 0 && deeper > 0 && { deeper }),
      ...(ignored > 0 && { ignored }),
      ...(next < total && { next_cursor: String(next) }),
    };
  },
});

/** Splits an absolute pattern into the folder of its plain names and the pattern below it. */
function startOf(pattern: string, path: string): { readonly path: string; readonly pattern: string } {
  if (!pattern.startsWith('/')) return { path, pattern };
  const names = pattern.split('/');
  const special = names.findIndex((name) => /[*?[\]{}\\!]/.test(name));
  const from = special === -1 ? names.length - 1 : special;
  return { path: names.slice(0, from).join('/') || '/', pattern: names.slice(from).join('/') };
}
