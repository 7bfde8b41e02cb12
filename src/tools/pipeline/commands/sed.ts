import { text } from '../../../contract/text/text.ts';
import { files, type Grammar, passOptions, program } from '../grammar.ts';
import { GuardViolation, type Remedy } from '../guard.ts';
import { rowsOf } from '../options.ts';
import { type SpelledOut, spelledOutInSed } from '../spelled-out.ts';
import type { Word } from '../words.ts';

/** `sed -n '10,20p' FILE…`. A script's own text cannot make it write or run anything. */
export const sed: Grammar = {
  command: 'sed',
  rows: rowsOf(
    `-n|--quiet|--silent -E|-r|--regexp-extended -z|--null-data -s|--separate -u|--unbuffered --posix --sandbox
    -l|--line-length=# -e|--expression= -f|--file= -i|--in-place[=]!inPlace`,
    {},
    {
      inPlace: {
        reason: 'SED_WRITE',
        because: text(
          'sed -i changes files without a record. Save with | tee, one file a call.',
          'sed -i は使えません。保存は 1 ファイルずつ | tee で行います。',
        ),
        instead: savedByTee,
      },
    },
  ),
  plan({ options, operands }, context) {
    const pieces = options.flatMap(({ row, value = '' }) => {
      if (row.flags[0] === '-e') return [value];
      return row.flags[0] === '-f' ? [context.readProgram(value).replace(/\n$/, '')] : [];
    });
    const [inline, ...rest] = operands;
    if (pieces.length === 0 && !inline)
      throw new GuardViolation('PARSE_ERROR', 'sed needs a script.', 'sed にはスクリプトが必要です。', [
        text("For example sed -n '1,20p' FILE", "例: sed -n '1,20p' FILE"),
      ]);
    const script = pieces.length > 0 ? pieces.join('\n') : (inline?.text ?? '');
    const { refused, reads } = spelledOutInSed(script);
    if (refused) throw refuse(refused, context.words, inline);
    const kept = options.filter(({ row }) => !['-e', '-f', '--sandbox'].includes(row.flags[0] ?? ''));
    const read = pieces.length > 0 ? operands : rest;
    return program('sed', [...passOptions(kept), '-e', script, '--', ...files(read)], {
      reads,
      // `q5` makes 5 an intended exit status.
      answers: [0, ...[...script.matchAll(/[qQ]\s*(\d+)/g)].map((match) => Number(match[1]))],
    });
  },
};

/** `sed -i s/a/b/ FILE` as `sed s/a/b/ FILE | tee FILE`: our tee reads all its input before it writes. */
function savedByTee(words: readonly Word[]): Remedy | undefined {
  // Some seds spell it `sed -i '' …`.
  const given = words.filter((word) => !/^-i|^--in-place/.test(word.text) && word.text !== '');
  const inScript = given.some((word) => /^-\w*[ef]$|^--(expression|file)/.test(word.text));
  const operands = given.filter(
    (word, index) =>
      !word.text.startsWith('-') && !/^-\w*[ef]$|^--(expression|file)$/.test(given[index - 1]?.text ?? ''),
  );
  const [file, more] = inScript ? operands : operands.slice(1);
  // One tee saves one file.
  if (!file || more) return undefined;
  return `sed ${given.map((word) => word.raw).join(' ')} | tee ${file.raw}`;
}

function refuse(
  refused: NonNullable<SpelledOut['refused']>,
  words: readonly Word[],
  inline: Word | undefined,
): GuardViolation {
  const plain = inline && !inline.text.includes("'") ? inline.text : '';
  const [, changes, file] = /^(.*\/[gpiI\d]*)w\s*(\S+)$/s.exec(plain) ?? [];
  const [, before, after] = /^(.*\/[gpiI\d]*)e([gpiI\d]*)$/s.exec(plain) ?? [];
  const isQuiet = words.some((word) => /^-[^-]*n|^--(quiet|silent)$/.test(word.text));
  const change = (script: string) =>
    words.map((word) => (word === inline ? `'${script}'` : word.raw)).join(' ');
  const remedies: Remedy[] = [];
  // Only the changed lines are written there.
  if (changes !== undefined)
    remedies.push(
      `sed ${isQuiet ? '' : '-n '}${change(changes.includes('p') ? changes : `${changes}p`)} | tee ${file}`,
    );
  if (before !== undefined) remedies.push(`sed ${change(`${before}${after}`)}`);
  return new GuardViolation(
    refused.kind === 'writes' ? 'SED_WRITE' : 'SED_EXEC',
    `sed only prints here: ${refused.what}.`,
    `sed は出力だけに使えます: ${refused.what}`,
    [
      ...remedies,
      text('Print the result and save it with | tee FILE.', '結果は出力して | tee FILE で保存してください。'),
    ],
  );
}
