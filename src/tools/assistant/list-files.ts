import { Buffer } from 'node:buffer';
import * as z from 'zod';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolError } from '../../contract/error.ts';
import type { FolderEntry } from '../../contract/files.ts';
import { text } from '../../contract/text.ts';
import { cleanName, folderInput, type Ground, groundsOf } from './paths.ts';

export const listFiles = defineTool({
  name: 'list_files',
  category: 'files',
  title: text('List files', 'ファイル一覧'),
  description: text(
    'List a folder. To find files in folders below use glob.',
    'ディレクトリのファイル一覧を表示します。下の階層から探すには glob を使います。',
  ),
  permission: 'authenticated',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['desk'],
  input: z.object({
    path: folderInput.describe('Folder, e.g. "src".'),
    sizes: z.boolean().default(false).describe('Give sizes too.'),
    limit: z.number().int().min(1).max(20_000).default(1000).describe('Entries at once, e.g. 200.'),
    cursor: z.string().max(500).optional().describe('next_cursor of the last reply.'),
  }),
  output: z.object({
    path: z.string(),
    directories: z.array(z.string()).describe('e.g. "dir1/".'),
    files: z.array(z.object({ name: z.string(), bytes: z.number().int().optional() })),
    others: z.array(z.string()).optional().describe('Links, devices: not readable.'),
    total: z.number().int(),
    next_cursor: z.string().optional(),
  }),
  ja: {
    path: 'ディレクトリ。例: "src"',
    sizes: 'サイズも返す。',
    limit: '一度に返す件数。例: 200',
    cursor: '前回の next_cursor。',
    directories: '例: "dir1/"',
    others: 'リンクやデバイス。読めません。',
  },
  example: { path: '.' },
  risk: ({ path }, { desk }) => ({ reads: groundsOf(desk, path).map(({ shown }) => shown) }),
  render: ({ directories, files, others = [], total, next_cursor: next }, locale) => {
    const section = (title: string, names: readonly string[]) =>
      names.length === 0 ? [] : [`${title}:\n  ${names.join('\n  ')}`];
    const sections = [
      ...section('Directories', directories),
      ...section(
        'Files',
        files.map(({ name, bytes }) => (bytes === undefined ? name : `${name} (${bytes})`)),
      ),
      ...section('Others', others),
    ];
    if (total === 0) sections.push(text('The folder is empty.', 'フォルダーは空です。')[locale]);
    if (next !== undefined) {
      sections.push(
        text(`[${total} in all; cursor ${next}]`, `[全 ${total} 件、続きは cursor ${next}]`)[locale],
      );
    }
    return sections.join('\n\n');
  },

  async run({ path, sizes, limit, cursor }, { desk }) {
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const grounds = groundsOf(desk, path);
    const { entries, groundOf } = entriesOf(grounds);
    const offset = after === undefined ? 0 : startAfter(entries, after);
    // A size costs a look at the file, so a page with sizes is shorter.
    const page = entries.slice(offset, offset + (sizes ? Math.min(limit, maxSizes) : limit));
    const directories: string[] = [];
    const files: { name: string; bytes?: number }[] = [];
    const others: string[] = [];
    for (const entry of page) {
      const { name, kind } = entry;
      const shown = cleanName(name);
      if (kind === 'folder') directories.push(`${shown}/`);
      else if (kind !== 'file') others.push(shown);
      else files.push(sizes ? { name: shown, ...sizeOf(groundOf(entry), name) } : { name: shown });
    }
    const last = page.at(-1);
    const isMore = last !== undefined && offset + page.length < entries.length;
    return {
      path: grounds.at(-1)?.shown ?? path,
      directories,
      files,
      ...(others.length > 0 && { others }),
      total: entries.length,
      ...(isMore && { next_cursor: cursorOf(last) }),
    };
  },
});

const maxSizes = 1000;

/** What a page goes on after: an entry, so that nothing is missed or told twice where others come and go. */
interface Position {
  readonly rank: number;
  readonly name: string;
}

function rankOf({ kind }: FolderEntry): number {
  return kind === 'folder' ? 0 : kind === 'file' ? 1 : 2;
}

function startAfter(entries: readonly FolderEntry[], { rank, name }: Position): number {
  const at = entries.findIndex((entry) => {
    const own = rankOf(entry);
    return own > rank || (own === rank && entry.name > name);
  });
  return at === -1 ? entries.length : at;
}

/** Names may hold anything, so a cursor shows none. */
function cursorOf(entry: FolderEntry): string {
  return Buffer.from(`${rankOf(entry)}${entry.name}`).toString('base64url');
}

function readCursor(cursor: string): Position {
  const written = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, rank, name] = /^([012])(.+)$/s.exec(written) ?? [];
  if (name !== undefined) return { rank: Number(rank), name };
  throw new ToolError(
    'invalid_parameter',
    text('cursor is not one that list_files gave.', 'cursor が list_files の返したものではありません。'),
    {
      suggestion: text(
        'Pass next_cursor of the last reply, or none to start anew.',
        '前回の next_cursor を渡すか、省いて最初から一覧してください。',
      ),
      details: { field: 'cursor' },
    },
  );
}

interface Listing {
  readonly entries: readonly FolderEntry[];
  readonly groundOf: (entry: FolderEntry) => Ground | undefined;
}

/** Folders, files, then the rest, each by name. What the caller's own folder holds hides what lies behind it. */
function entriesOf(grounds: readonly Ground[]): Listing {
  const seen = new Set<string>();
  const groundsByEntry = new Map<FolderEntry, Ground>();
  const folders: FolderEntry[] = [];
  const files: FolderEntry[] = [];
  const others: FolderEntry[] = [];
  // A folder may hold tens of thousands: with one ground, which is usual, nothing is kept of each but itself.
  const isOne = grounds.length === 1;
  for (const ground of grounds) {
    for (const entry of ground.place.entries()) {
      const { name, kind } = entry;
      if (ground.skip && (seen.has(name) || ground.skip(name))) continue;
      if (!isOne) {
        seen.add(name);
        groundsByEntry.set(entry, ground);
      }
      (kind === 'file' ? files : kind === 'folder' ? folders : others).push(entry);
    }
  }
  for (const entries of [folders, files, others]) entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    entries: folders.concat(files, others),
    groundOf: (entry) => (isOne ? grounds[0] : groundsByEntry.get(entry)),
  };
}

function sizeOf(ground: Ground | undefined, name: string): { bytes?: number } {
  if (!ground) return {};
  const { folder, place } = ground;
  try {
    return { bytes: folder.at(name, { base: place.hostPath }).stat().bytes };
  } catch (error) {
    // Gone since it was listed.
    if (error instanceof ToolError) return {};
    throw error;
  }
}
