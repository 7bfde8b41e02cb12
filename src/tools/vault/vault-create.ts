import * as z from 'zod';
import type { Place } from '../../contract/capabilities/files.ts';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { assertMayCreate, assertText, isBelow, noteAt } from './rules.ts';

export const vaultCreate = defineTool({
  name: 'vault_create',
  title: text('Create a note', 'ノートの作成'),
  description: text(
    'Create a note. Fails if it exists; change a note with vault_replace.',
    'ノートを新しく作成します。既にあれば失敗します。変更は vault_replace で行います。',
  ),
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  changesFiles: true,
  uses: ['vault'],
  input: z.object({
    path: z.string().describe('New note, e.g. "ideas/house.md" or "daily/2026-02-11.md".'),
    content: z.string().min(1).describe('Its whole text, e.g. "# House\\n".'),
  }),
  output: z.object({ written_path: z.string(), written_bytes: z.int() }),
  ja: {
    path: '新しいノートのパス。例: "ideas/house.md"、"daily/2026-02-11.md"',
    content: 'ノートの全文。例: "# House\\n"',
  },
  example: { path: 'ideas/house.md', content: '# House\n' },
  risk: ({ path }, { vault }) => ({ writes: [noteAt(vault, path).path] }),

  async run({ path, content }, { vault, signal, audit }) {
    const place = noteAt(vault, path);
    assertMayCreate(place.path);
    assertText('content', content);
    const { bytes } = await create(place, content, signal);
    audit({ wrote: place.path, bytes });
    return { written_path: place.path, written_bytes: bytes };
  },
});

async function create(place: Place, content: string, signal: AbortSignal) {
  try {
    return await place.create(content, { signal });
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'conflict') throw error;
    if (isFolder(place))
      throw new ToolError('conflict', `${place.shown} is a folder.`, `${place.shown} はフォルダーです。`, {
        suggestion: text(
          `Name a note in it, e.g. "${place.shown}/house.md", or choose another name.`,
          `"${place.shown}/house.md" のように中のノートを指定するか、別の名前にしてください。`,
        ),
        cause: error,
      });
    throw new ToolError('conflict', `${place.shown} already exists.`, `${place.shown} は既に存在します。`, {
      suggestion: isBelow(place.path, 'daily')
        ? text(
            'Read it with vault_read. Notes below daily/ are not rewritten.',
            'vault_read で読んでください。daily/ のノートは書き換えません。',
          )
        : text('Change it with vault_replace.', 'vault_replace で変更してください。'),
      cause: error,
    });
  }
}

function isFolder(place: Place): boolean {
  return place.exists() && place.stat().kind === 'folder';
}
