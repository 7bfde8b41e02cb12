import * as z from 'zod';
import { ToolError } from '../../../contract/error.ts';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { unifiedDiff } from '../../../ground/text/unified-diff.ts';
import { encodingInJapanese, encodingInput } from '../../encoding.ts';
import { assertOwn, cleanName, pathInput, placeToWrite } from '../paths.ts';
import { applyEdits } from './edits.ts';
import { splice } from './splice.ts';

const edit = z.object({
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().default(false),
});

export const editFile = defineTool({
  name: 'edit_file',
  category: 'files',
  title: text('Edit a file', 'ファイルの部分編集'),
  description: text(
    'Replace text in a file. old_string must match exactly once, unless replace_all.',
    'ファイルの一部を置換します。old_string は正確に一致し、replace_all を指定しない場合は 1 か所だけに一致しなければなりません。',
  ),
  everyday: true,
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  changesFiles: true,
  uses: ['desk'],
  input: z.object({
    path: pathInput.describe('e.g. "src/a.toml".'),
    old_string: edit.shape.old_string.describe('e.g. "port = 80".'),
    new_string: edit.shape.new_string.describe('e.g. "port = 8080".'),
    replace_all: edit.shape.replace_all.describe('All.'),
    edits: z.array(edit.strict()).max(100).optional().describe('More, after this; all or none.'),
    dry_run: z.boolean().default(false).describe('Only the diff.'),
    encoding: encodingInput,
  }),
  output: z.object({
    path: z.string(),
    replacements: z.int(),
    diff: z.string(),
    dry_run: z.boolean().optional(),
  }),
  ja: {
    path: '相対パス。例: "src/config.toml"',
    old_string: '置換対象の文字列。ファイルの内容と完全に一致させる。例: "port = 80"',
    new_string: '置換後の文字列。例: "port = 8080"',
    replace_all: '全て置換する。',
    edits: '続けて行う編集。全部行うか、何もしないか。',
    dry_run: '差分を見るだけで書き込まない。',
    encoding: encodingInJapanese,
  },
  example: { path: 'src/config.toml', old_string: 'port = 80', new_string: 'port = 8080' },
  risk: ({ path, dry_run }, { desk }) => {
    const { shown } = placeToWrite(desk, path);
    return dry_run ? { reads: [shown] } : { writes: [shown] };
  },
  render: ({ path, replacements, diff, dry_run: isDry }, locale) => {
    const head = isDry
      ? text(
          `Would make ${replacements} replacements in ${path}.`,
          `${path} で ${replacements} か所が置換されます。`,
        )
      : text(
          `Made ${replacements} replacements in ${path}.`,
          `${path} で ${replacements} か所を置換しました。`,
        );
    return `${head[locale]}\n\n${diff}`;
  },

  async run(
    { path, old_string, new_string, replace_all, edits = [], dry_run, encoding: named },
    { desk, signal, audit },
  ) {
    const spot = placeToWrite(desk, path);
    assertOwn(desk, spot, path);
    const { shown } = spot;
    // A model edits several parts of a file at once, with one call for each.
    return spot.place.inTurn(async (place) => {
      const name = cleanName(shown);
      const whole = await place.readWhole({ encoding: named, signal });
      const { encoding, hasBom: withBom, stat: expected } = whole;
      const all = [{ old_string, new_string, replace_all }, ...edits];
      if (whole.isGuess) assertNeedsNoGuess(name, encoding, all);
      const made = await applyEdits(name, whole.text, all, signal);
      const diff = await unifiedDiff(name, whole.text, made.after);
      const reply = { path: name, replacements: made.count, diff };
      if (dry_run) return { ...reply, dry_run: true };
      if (!encoding.startsWith('utf-')) {
        const former = await place.readBytes({ signal });
        const bytes = splice(former, encoding, whole.text, all);
        await place.replace(bytes, { signal, expected });
      } else {
        await place.replace(made.after, { signal, expected, encoding, withBom });
      }
      audit({ wrote: shown, replacements: made.count });
      return reply;
    }, signal);
  },
});

/** Characters beyond ASCII have different bytes in each encoding. */
function assertNeedsNoGuess(
  name: string,
  encoding: string,
  edits: readonly { readonly new_string: string }[],
): void {
  if (edits.every(({ new_string }) => /^[\t-~]*$/.test(new_string))) return;
  throw new ToolError(
    'invalid_parameter',
    `${name} is not UTF-8, and ${encoding} is a guess: new_string would be written wrongly if it is another.`,
    `${name} は UTF-8 ではなく、${encoding} は推測です。違っていた場合、new_string が正しく書かれません。`,
    text(
      'Name the encoding if the file reads well in it.',
      'その文字コードで正しく読める場合は、encoding に指定してください。',
    ),
    { field: 'encoding' },
  );
}
