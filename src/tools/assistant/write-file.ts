import * as z from 'zod';
import type { Place } from '../../contract/capabilities/files.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { counted } from '../../ground/counted.ts';
import { unifiedDiff } from '../../ground/text/unified-diff.ts';
import { cleanName, pathInput, placeToWrite } from './paths.ts';

export const writeFile = defineTool({
  name: 'write_file',
  category: 'files',
  title: text('Write a file', 'ファイルを書く'),
  description: text(
    'Create or replace a file. To change a part use edit_file.',
    'ファイルを (フォルダーごと) 作成するか、置き換えます。一部の変更には edit_file を使います。',
  ),
  everyday: true,
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  changesFiles: true,
  uses: ['desk'],
  input: z.object({
    path: pathInput.describe('e.g. "a/b.md".'),
    content: z.string().describe('All of it.'),
  }),
  output: z.object({
    path: z.string().describe('Relative to the workspace.'),
    bytes: z.int(),
    created: z.boolean().describe('It did not exist before.'),
    diff: z.string().optional().describe('What changed, where a text was replaced.'),
  }),
  ja: {
    path: '相対パス。例: "notes/today.md"',
    content: '書き込む内容の全体。例: "# 今日\\n"',
    created: '新しく作ったか。',
    diff: '置き換えたときの変更点。',
  },
  example: { path: 'notes/today.md', content: '# Today\n' },
  risk: ({ path }, { desk }) => ({ writes: [placeToWrite(desk, path).shown] }),
  render: ({ path, bytes, created, diff }, locale) => {
    const head = created
      ? text(`Created ${path} (${counted(bytes, 'byte')}).`, `${path} を作成しました (${bytes} バイト)。`)
      : text(`Replaced ${path} (${counted(bytes, 'byte')}).`, `${path} を置き換えました (${bytes} バイト)。`);
    return diff ? `${head[locale]}\n\n${diff}` : head[locale];
  },

  async run({ path, content }, { desk, signal, audit }) {
    const { place, shown } = placeToWrite(desk, path);
    const { former, bytes, created } = await place.inTurn(async (held) => {
      const before = await formerText(held, signal);
      return { former: before, ...(await held.replace(content, { signal, fromEarlier: true })) };
    }, signal);
    audit({ wrote: shown, bytes });
    const name = cleanName(shown);
    const diff =
      former === undefined || created ? '' : await unifiedDiff(name, former, content, maxDiffChars);
    return { path: name, bytes, created, ...(diff !== '' && { diff }) };
  },
});

const maxDiffChars = 4000;
const maxFormerBytes = 1024 * 1024;

/** The old text for the diff; a large file, or one that is not text, is replaced without a diff. */
async function formerText(place: Place, signal: AbortSignal): Promise<string | undefined> {
  if (!place.exists()) return undefined;
  const { kind, bytes } = place.stat();
  if (kind !== 'file' || bytes > maxFormerBytes) return undefined;
  return place.readWhole({ signal }).then(
    ({ text: former }) => former,
    () => undefined,
  );
}
