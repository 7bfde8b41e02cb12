import { Buffer } from 'node:buffer';
import * as z from 'zod';
import type { FolderEntry } from '../../contract/capabilities/files.ts';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { cleanName, folderInput, type Ground, groundsOf } from './paths.ts';

export const listFiles = defineTool({
  name: 'list_files',
  category: 'files',
  title: text('List files', 'ファイル一覧'),
  description: text(
    'List a folder. To look deeper use glob.',
    'ディレクトリのファイル一覧を表示します。下の階層から探すには glob を使います。',
  ),
  permission: 'authenticated',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['desk'],
  input: z.object({
    path: folderInput.describe('e.g. "src".'),
    sizes: z.boolean().default(false).describe('Give sizes.'),
    limit: z.number().int().min(1).max(20_000).default(1000).describe('e.g. 200.'),
    cursor: z.string().max(500).optional().describe('next_cursor.'),
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

  async run({ path, sizes, limit, cursor }, { desk, signal }) {
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const grounds = groundsOf(desk, path);
    // A size costs a look at the file, so a page with sizes is shorter.
    const listing = await listed(grounds, { after, most: sizes ? Math.min(limit, maxSizes) : limit, signal });
    const directories: string[] = [];
    const files: { name: string; bytes?: number }[] = [];
    const others: string[] = [];
    for (const { name, kind, ground } of listing.page) {
      const shown = cleanName(name);
      if (kind === 'folder') directories.push(`${shown}/`);
      else if (kind !== 'file') others.push(shown);
      else files.push(sizes ? { name: shown, ...sizeOf(ground, name) } : { name: shown });
    }
    const last = listing.page.at(-1);
    return {
      path: grounds.at(-1)?.shown ?? path,
      directories,
      files,
      ...(others.length > 0 && { others }),
      total: listing.total,
      ...(last && listing.more && { next_cursor: cursorOf(last) }),
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

function positionOf(entry: FolderEntry): Position {
  return { rank: rankOf(entry), name: entry.name };
}

function inOrder(a: Position, b: Position): number {
  return a.rank - b.rank || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
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
    text('cursor did not come from list_files.', 'cursor が list_files の返したものではありません。'),
    {
      suggestion: text(
        'Pass next_cursor of the last reply, or none to start over.',
        '前回の next_cursor を渡すか、省いて最初から一覧してください。',
      ),
      details: { field: 'cursor' },
    },
  );
}

interface Listed extends FolderEntry {
  readonly ground: Ground;
}

/**
 * A page of folders, files, then the rest, each by name. What the caller's own folder holds hides what lies behind it.
 * A folder may hold a million entries: all are counted, and never many more than the page are kept.
 */
async function listed(
  grounds: readonly Ground[],
  { after, most, signal }: { after: Position | undefined; most: number; signal: AbortSignal },
): Promise<{ readonly page: readonly Listed[]; readonly total: number; readonly more: boolean }> {
  const seen = new Set<string>();
  let kept: { readonly entry: Listed; readonly at: Position }[] = [];
  let lastKept: Position | undefined;
  let total = 0;
  let more = false;
  const sift = () => {
    kept.sort((a, b) => inOrder(a.at, b.at));
    more ||= kept.length > most;
    kept = kept.slice(0, most);
    if (kept.length === most) lastKept = kept.at(-1)?.at;
  };
  for (const ground of grounds) {
    const hides = ground !== grounds.at(-1);
    for await (const portion of ground.place.portions(signal)) {
      for (const entry of portion) {
        if (ground.skip && (seen.has(entry.name) || ground.skip(entry.name))) continue;
        if (hides) seen.add(entry.name);
        total += 1;
        const at = positionOf(entry);
        if (after && inOrder(at, after) <= 0) continue;
        if (lastKept && inOrder(at, lastKept) > 0) more = true;
        else kept.push({ entry: { ...entry, ground }, at });
      }
      if (kept.length > most * 2) sift();
    }
  }
  sift();
  return { page: kept.map(({ entry }) => entry), total, more };
}

function sizeOf(ground: Ground, name: string): { bytes?: number } {
  const { folder, place } = ground;
  try {
    return { bytes: folder.at(name, { base: place.hostPath }).stat().bytes };
  } catch (error) {
    // Gone since it was listed.
    if (error instanceof ToolError) return {};
    throw error;
  }
}
