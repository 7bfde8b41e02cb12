import * as z from 'zod';
import type { Place } from '../../contract/capabilities/files.ts';
import type { Vault } from '../../contract/capabilities/vault.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { isInside } from '../../ground/inside.ts';
import { notSearched } from './note-lines.ts';
import { parseRegexQuery, parseTextQuery } from './query.ts';
import { badCursor, folderAt, noteAt } from './rules.ts';
import { match, searchNote } from './search-note.ts';
import { createPauses, walkNotes } from './walk-notes.ts';

export const vaultSearch = defineTool({
  name: 'vault_search',
  title: text('Search notes', 'ノートの検索'),
  description: text(
    'Find notes by words, "phrases", tag:NAME or field:VALUE of the front matter (all must be in the note), or by regex line by line.',
    '語、"語句"、tag:名前、フロントマターの field:値 (すべてを含むノート)、または行ごとの正規表現でノートを探します。',
  ),
  everyday: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['vault'],
  input: z.object({
    query: z.string().min(1).max(1000).describe('e.g. "tag:recipe soup".'),
    path: z.string().nullish().describe('Folder or note to search, e.g. "ideas"; default all.'),
    mode: z.enum(['text', 'regex']).nullish().describe('Default "text".'),
    limit: z.int().min(1).max(200).nullish().describe('Matches per page, e.g. 20.'),
    cursor: z.string().nullish().describe('next_cursor of the page before.'),
  }),
  output: z.object({
    matches: z.array(match),
    next_cursor: z.string().optional(),
    not_searched: notSearched,
  }),
  ja: {
    query: '例: "tag:recipe スープ"',
    path: '探すフォルダーまたはノート。例: "ideas"。省略時は全体',
    mode: '省略時は "text"',
    limit: '1 ページの件数。例: 20',
    cursor: '前のページの next_cursor',
    not_searched: 'UTF-8 テキストでないため検索していないノート。',
  },
  example: { query: 'tag:recipe soup', limit: 20 },
  risk: ({ path }, { vault }) => ({ reads: [folderAt(vault, path).path] }),

  async run({ query: written, path, mode, limit, cursor }, { vault, signal, progress }) {
    const query = mode === 'regex' ? await parseRegexQuery(written) : parseTextQuery(written);
    const wanted = limit ?? 20;
    const giveWay = createPauses(signal);
    const matches: z.output<typeof match>[] = [];
    const unread: string[] = [];
    let searched = 0;
    for await (const { place, afterLine } of notesFrom(vault, folderAt(vault, path), cursor, signal)) {
      const left = wanted + 1 - matches.length;
      const onUnread = () => unread.push(place.path);
      const options = { afterLine, limit: left, signal, giveWay, onUnread };
      matches.push(...(await searchNote(vault, place, query, options)));
      if (matches.length > wanted) break;
      searched += 1;
      if (searched % 500 === 0) progress(searched);
    }
    const last = matches[wanted - 1];
    const unsearched = unread.length > 0 && {
      not_searched: { count: unread.length, paths: unread.slice(0, 20) },
    };
    if (matches.length <= wanted || !last) return { matches, ...unsearched };
    return { matches: matches.slice(0, wanted), next_cursor: `${last.line}:${last.path}`, ...unsearched };
  },
});

/** The notes to search, beginning with the rest of the one at which the last page ended. */
async function* notesFrom(
  vault: Vault,
  below: Place,
  cursor: string | null | undefined,
  signal: AbortSignal,
): AsyncGenerator<{ readonly place: Place; readonly afterLine: number }> {
  const from = cursor == null ? undefined : readCursor(vault, cursor, below);
  if (from?.place.exists()) yield from;
  if (below.path !== '.' && below.stat().kind === 'file') {
    if (!from) yield { place: below, afterLine: 0 };
    return;
  }
  const after = from && ({ kind: 'file', path: from.place.path } as const);
  for await (const { kind, place } of walkNotes(vault.folder, below, { recursive: true, after, signal })) {
    if (kind === 'file') yield { place, afterLine: 0 };
  }
}

function readCursor(vault: Vault, cursor: string, below: Place) {
  const [, line, path] = /^(\d{1,15}):(.+)$/s.exec(cursor) ?? [];
  if (path === undefined) throw badCursor();
  const place = noteAt(vault, path);
  const isBelow = below.path === '.' || isInside(place.path, below.path);
  if (!isBelow) throw badCursor();
  return { place, afterLine: Number(line) };
}
