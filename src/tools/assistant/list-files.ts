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
    'List a folder. Deeper: glob.',
    'ディレクトリのファイル一覧を表示します。下の階層から探すには glob を使います。',
  ),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['desk'],
  input: z.object({
    path: folderInput.describe('e.g. "src".'),
    sizes: z.boolean().default(false).describe('Sizes.'),
    limit: z.int().min(1).max(20_000).default(1000).describe('e.g. 200.'),
    cursor: z.string().max(500).optional().describe('next_cursor.'),
  }),
  output: z.object({
    path: z.string(),
    directories: z.array(z.string()).describe('e.g. "dir1/".'),
    files: z.array(z.object({ name: z.string(), bytes: z.int().optional() })),
    others: z.array(z.string()).optional().describe('Links, devices: not readable.'),
    total: z.int(),
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
    // Each size costs a stat, so a page with sizes is shorter.
    const listing = await listed(grounds, { after, most: sizes ? Math.min(limit, maxSizes) : limit, signal });
    const { folder, file, other } = listing.page;
    return {
      path: grounds.at(-1)?.shown ?? path,
      directories: folder.map((name) => `${cleanName(name)}/`),
      files: file.map((name) => ({ name: cleanName(name), ...(sizes && sizeOf(grounds, name)) })),
      ...(other.length > 0 && { others: other.map(cleanName) }),
      total: listing.total,
      ...(listing.last && { next_cursor: cursorOf(listing.last) }),
    };
  },
});

const maxSizes = 1000;

/** In display order. */
const kinds = ['folder', 'file', 'other'] as const;
type Kind = (typeof kinds)[number];

function kindOf({ kind }: FolderEntry): Kind {
  return kind === 'folder' || kind === 'file' ? kind : 'other';
}

/** The entry after which a page continues, so that none is missed or repeated while others come and go. */
interface Position {
  readonly kind: Kind;
  readonly name: string;
}

function isBehind(kind: Kind, name: string, position: Position): boolean {
  if (kind === position.kind) return name > position.name;
  return kinds.indexOf(kind) > kinds.indexOf(position.kind);
}

/** Names may contain any characters, so a cursor encodes them. */
function cursorOf({ kind, name }: Position): string {
  return Buffer.from(`${kinds.indexOf(kind)}${name}`).toString('base64url');
}

function readCursor(cursor: string): Position {
  const written = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, digit, name] = /^([012])(.+)$/s.exec(written) ?? [];
  const kind = kinds[Number(digit)];
  if (kind && name !== undefined) return { kind, name };
  throw new ToolError(
    'invalid_parameter',
    'cursor did not come from list_files.',
    'cursor が list_files の返したものではありません。',
    text(
      'Pass next_cursor of the last reply, or none to start over.',
      '前回の next_cursor を渡すか、省いて最初から一覧してください。',
    ),
    { field: 'cursor' },
  );
}

interface Listed {
  readonly page: Readonly<Record<Kind, readonly string[]>>;
  readonly total: number;
  /** The last entry of the page, if more follow. */
  readonly last: Position | undefined;
}

/**
 * A page of folders, files, then the rest, each by name. Entries of the caller's own folder hide those of the same name
 * behind it. A folder may have a million entries: all are counted, and never many more than the page are kept.
 */
async function listed(
  grounds: readonly Ground[],
  { after, most, signal }: { after: Position | undefined; most: number; signal: AbortSignal },
): Promise<Listed> {
  const seen = new Set<string>();
  const kept: Record<Kind, string[]> = { folder: [], file: [], other: [] };
  let last: Position | undefined;
  let total = 0;
  let more = false;
  const sift = () => {
    let room = most;
    for (const kind of kinds) {
      const names = kept[kind].sort();
      more ||= names.length > room;
      names.length = Math.min(names.length, room);
      room -= names.length;
      const name = names.at(-1);
      if (name !== undefined) last = { kind, name };
    }
    if (room > 0) last = undefined;
  };
  for (const ground of grounds) {
    const hides = ground !== grounds.at(-1);
    for await (const portion of ground.place.portions(signal)) {
      for (const entry of portion) {
        const { name } = entry;
        if (ground.skip && (seen.has(name) || ground.skip(name))) continue;
        if (hides) seen.add(name);
        total += 1;
        const kind = kindOf(entry);
        if (after && !isBehind(kind, name, after)) continue;
        if (last && isBehind(kind, name, last)) more = true;
        else kept[kind].push(name);
      }
      if (kept.folder.length + kept.file.length + kept.other.length > most * 2) sift();
    }
  }
  sift();
  return { page: kept, total, last: more ? last : undefined };
}

/** Takes the size from the first ground that has the name: its entry is shown. */
function sizeOf(grounds: readonly Ground[], name: string): { bytes?: number } {
  for (const { folder, place, skip } of grounds) {
    if (skip?.(name)) continue;
    try {
      return { bytes: folder.at(name, { base: place.hostPath }).stat().bytes };
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
    }
  }
  // Deleted since it was listed.
  return {};
}
