import { isUtf8 } from 'node:buffer';
import * as z from 'zod';
import type { Place } from '../../contract/capabilities/files.ts';
import { ToolError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { replaceLiteral } from './literal.ts';
import { jaNotePath, notePath } from './parts.ts';
import { assertMayReplace, assertText, noteAt, onNote } from './rules.ts';

export const vaultReplace = defineTool({
  name: 'vault_replace',
  title: text('Replace text in a note', 'ノート内の置換'),
  description: text(
    'Replace literal text in a note, the first match unless max_replacements says more. Not for daily/.',
    'ノート内の文字列をそのまま置換します。max_replacements を指定しなければ最初の 1 件だけです。daily/ では使えません。',
  ),
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  changesFiles: true,
  uses: ['vault'],
  input: z.object({
    path: notePath,
    find: z.string().min(1).describe('Text as it stands, e.g. "- [ ] paint".'),
    replace: z.string().describe('New text, e.g. "- [x] paint".'),
    max_replacements: z.int().min(0).nullish().describe('Most matches to replace, e.g. 10; default 1.'),
  }),
  output: z.object({ written_path: z.string(), replacements: z.int() }),
  ja: {
    path: jaNotePath,
    find: '探す文字列 (正規表現ではない)。例: "- [ ] paint"',
    replace: '新しい文字列。例: "- [x] paint"',
    max_replacements: '置換する最大件数。例: 10。省略時は 1',
  },
  example: { path: 'ideas/house.md', find: '- [ ] paint', replace: '- [x] paint' },
  risk: ({ path }, { vault }) => ({ writes: [noteAt(vault, path).path] }),

  async run({ path, find, replace, max_replacements }, { vault, signal, audit }) {
    const place = noteAt(vault, path);
    assertMayReplace(place.path, vault.settings.extras);
    assertText('replace', replace);
    const replacements = await vault.inTurn(
      place,
      async (note) => {
        const stat = note.stat();
        const { mark, body } = decodeNote(note, await onNote(note, () => note.readBytes({ signal })));
        const changed = replaceLiteral(body, {
          find,
          replacement: replace,
          maxReplacements: max_replacements ?? 1,
          maxLength: limits.writeBytes,
        });
        // An unchanged text needs no new file.
        if (changed.text !== body) {
          await note.replace(mark + changed.text, { signal, expected: stat, fromEarlier: true });
          audit({ wrote: note.path, bytes: Buffer.byteLength(changed.text) });
        }
        return changed.replacements;
      },
      signal,
    );
    return { written_path: place.path, replacements };
  },
});

/** The text and its byte order mark. Throws `unsupported_encoding` unless it is UTF-8 text. */
function decodeNote(place: Place, bytes: Buffer): { readonly mark: string; readonly body: string } {
  if (!isUtf8(bytes) || bytes.includes(0))
    throw new ToolError(
      'unsupported_encoding',
      `${place.shown} is not UTF-8 text.`,
      `${place.shown} は UTF-8 のテキストではありません。`,
      text('Convert it to UTF-8 first.', '先に UTF-8 へ変換してください。'),
    );
  const all = bytes.toString('utf8');
  return all.startsWith('\ufeff') ? { mark: '\ufeff', body: all.slice(1) } : { mark: '', body: all };
}
