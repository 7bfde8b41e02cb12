import * as z from 'zod';
import type { Place } from '../../contract/capabilities/files.ts';
import type { Vault } from '../../contract/capabilities/vault.ts';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { jaNotePath } from './parts.ts';
import { assertMayCreate, assertText, noteAt, onNote } from './rules.ts';

export const vaultAppend = defineTool({
  name: 'vault_append',
  title: text('Add to a note', 'ノートへの追記'),
  description: text(
    "Add text at the end of a note, on a new line. Today's daily note is created when it is missing.",
    'ノートの末尾に、行を改めて追記します。今日の日次ノートは、なければ作成します。',
  ),
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  changesFiles: true,
  uses: ['vault'],
  input: z.object({
    path: z.string().describe('Note, e.g. "daily/2026-02-11.md".'),
    content: z.string().min(1).describe('Text to add, e.g. "- 10:00 call the bank".'),
  }),
  output: z.object({ written_path: z.string(), written_bytes: z.int(), created: z.literal(true).optional() }),
  ja: { path: jaNotePath, content: '追記する文。例: "- 10:00 銀行に電話"' },
  example: { path: 'daily/2026-02-11.md', content: '- 10:00 call the bank\n' },
  risk: ({ path }, { vault }) => ({ writes: [noteAt(vault, path).path] }),

  async run({ path, content }, { vault, signal, audit }) {
    const place = noteAt(vault, path);
    assertMayCreate(place.path);
    assertText('content', content);
    const added = await vault.inTurn(place, (note) => add(vault, note, content, signal), signal);
    audit({ wrote: place.path, bytes: added.bytes });
    return {
      written_path: place.path,
      written_bytes: added.bytes,
      ...(added.created && { created: true as const }),
    };
  },
});

async function add(vault: Vault, place: Place, content: string, signal: AbortSignal) {
  if (!place.exists()) {
    if (place.path !== `daily/${vault.today()}.md`)
      throw new ToolError(
        'not_found',
        `${place.shown} does not exist.`,
        `${place.shown} は存在しません。`,
        text('Create it with vault_create.', 'vault_create で作成してください。'),
      );
    return place.append(content, { signal });
  }
  const expected = place.stat();
  const { newline, atLineStart } = await onNote(place, async () => vault.readEnding(place));
  const lines = newline === '\r\n' ? content.replaceAll(/\r?\n/g, '\r\n') : content;
  const addition = atLineStart ? lines : newline + lines;
  await place.append(addition, { signal, expected });
  return { bytes: Buffer.byteLength(addition), created: false };
}
