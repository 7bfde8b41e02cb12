import * as z from 'zod';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { badCursor, folderAt } from './rules.ts';
import { type Found, walkNotes } from './walk-notes.ts';

export const vaultList = defineTool({
  name: 'vault_list',
  title: text('List notes', 'ノートの一覧'),
  description: text(
    'List notes and folders, folders first. To search their text use vault_search.',
    'ノートとフォルダーの一覧をフォルダーから順に返します。本文の検索は vault_search で行います。',
  ),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['vault'],
  input: z.object({
    path: z.string().nullish().describe('Folder, e.g. "ideas"; default the whole vault.'),
    recursive: z.boolean().nullish().describe('true: include subfolders.'),
    cursor: z.string().nullish().describe('next_cursor of the page before.'),
    limit: z.int().min(1).max(1000).nullish().describe('Entries per page, e.g. 100.'),
  }),
  output: z.object({
    entries: z.array(
      z.object({
        path: z.string(),
        kind: z.enum(['folder', 'file']),
        bytes: z.int().optional(),
        modified: z.string(),
      }),
    ),
    next_cursor: z.string().optional(),
  }),
  ja: {
    path: 'フォルダー。例: "ideas"。省略時は保管庫全体',
    recursive: 'true なら下の階層も含みます。',
    cursor: '前のページの next_cursor',
    limit: '1 ページの件数。例: 100',
  },
  example: { path: 'ideas', recursive: true },
  risk: ({ path }, { vault }) => ({ reads: [folderAt(vault, path).path] }),

  async run({ path, recursive, cursor, limit }, { vault, signal }) {
    const walk = walkNotes(vault.folder, folderAt(vault, path), {
      recursive: recursive ?? false,
      after: cursor == null ? undefined : readCursor(cursor),
      signal,
    });
    const entries: NonNullable<ReturnType<typeof describeEntry>>[] = [];
    let last: Found | undefined;
    for await (const found of walk) {
      if (last && entries.length >= (limit ?? 100)) return { entries, next_cursor: cursorOf(last) };
      last = found;
      const entry = describeEntry(found);
      if (entry) entries.push(entry);
    }
    return { entries };
  },
});

function describeEntry({ kind, place }: Found) {
  try {
    const stat = place.stat();
    const modified = new Date(stat.modifiedMs).toISOString();
    return { path: place.path, kind, ...(kind === 'file' && { bytes: stat.bytes }), modified };
  } catch (error) {
    // Removed since the folder was read.
    if (error instanceof ToolError && error.code === 'not_found') return undefined;
    throw error;
  }
}

function cursorOf({ kind, place }: Found): string {
  return `${kind}:${place.path}`;
}

function readCursor(cursor: string): { readonly kind: 'folder' | 'file'; readonly path: string } {
  const [, kind, path] = /^(folder|file):(.+)$/s.exec(cursor) ?? [];
  if (path === undefined) throw badCursor();
  return { kind: kind === 'file' ? 'file' : 'folder', path };
}
