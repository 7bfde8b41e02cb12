import { text } from '../../../contract/text/text.ts';
import { files, type Grammar, passOptions, program } from '../grammar.ts';
import { GuardViolation, type Remedy } from '../guard.ts';
import { type OptionTable, rowsOf } from '../options.ts';
import { type SpelledOut, spelledOutInSed } from '../spelled-out.ts';
import type { Word } from '../words.ts';

const table: OptionTable = {
  command: 'sed',
  rows: [
    ...rowsOf(`
      -n|--quiet|--silent -E|-r|--regexp-extended -z|--null-data -s|--separate -u|--unbuffered
      --posix --sandbox
    `),
    { flags: ['-l', '--line-length'], value: 'number' },
    ...rowsOf('-e|--expression -f|--file', { value: 'text' }),
    {
      flags: ['-i', '--in-place'],
      value: 'optional',
      refused: {
        reason: 'SED_WRITE',
        because: text(
          'sed -i changes files without a record. Save with | tee, one file a call.',
          'sed -i は使えません。保存は 1 ファイルずつ | tee で行います。',
        ),
        instead: savedByTee,
      },
    },
  ],
};

/** `sed -n '10,20p' FILE…`. A script's own text cannot make it write or run anything. */
export const sed: Grammar = {
  ...table,
  plan({ options, operands }, context) {
    const pieces = options.flatMap(({ row, value }) => {
      if (row.flags[0] === '-e') return [value ?? ''];
      if (row.flags[0] === '-f') return [context.readProgram(value ?? '').replace(/\n$/, '')];
      return [];
    });
    const [inline, ...rest] = operands;
    if (pieces.length === 0 && !inline) {
      throw new GuardViolation('PARSE_ERROR', text('sed needs a script.', 'sed にはスクリプトが必要です。'), [
        { words: text("For example sed -n '1,20p' FILE", "例: sed -n '1,20p' FILE") },
      ]);
    }
    const script = pieces.length > 0 ? pieces.join('\n') : (inline?.text ?? '');
    const { refused, reads } = spelledOutInSed(script);
    if (refused) throw refuse(refused, context.words, inline);
    const kept = options.filter(({ row }) => !['-e', '-f', '--sandbox'].includes(row.flags[0] ?? ''));
    const read = pieces.length > 0 ? operands : rest;
    return program('sed', [...passOptions(kept), '-e', script, '--', ...files(read)], {
      reads,
      answers: exitCodes(script),
    });
  },
};

function quiet(remedy: Remedy, words: readonly Word[]): Remedy {
  if (!('pipeline' in remedy) || words.some((word) => /^-[^-]*n|^--(quiet|silent)$/.test(word.text)))
    return remedy;
  return { pipeline: remedy.pipeline.replace(/^sed /, 'sed -n ') };
}

/** `q5` makes 5 an intended exit status. */
function exitCodes(script: string): number[] {
  return [0, ...[...script.matchAll(/[qQ]\s*(\d+)/g)].map((match) => Number(match[1]))];
}

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
  return { pipeline: `sed ${given.map((word) => word.raw).join(' ')} | tee ${file.raw}` };
}

function refuse(
  refused: NonNullable<SpelledOut['refused']>,
  words: readonly Word[],
  inline: Word | undefined,
): GuardViolation {
  const saved = inline && /^(.*\/[gpiI\d]*)w\s*(\S+)$/s.exec(inline.text);
  const cleaned = inline && /^(.*\/[gpiI\d]*)e([gpiI\d]*)$/s.exec(inline.text);
  const change = (script: string, stage: string): Remedy => ({
    pipeline: `sed ${words.map((word) => (word === inline ? `'${script}'` : word.raw)).join(' ')}${stage}`,
  });
  // Only the changed lines are written there.
  const save = (script: string, file: string): Remedy =>
    change(script.includes('p') ? script : `${script}p`, ` | tee ${file}`);
  return new GuardViolation(
    refused.kind === 'writes' ? 'SED_WRITE' : 'SED_EXEC',
    text(`sed only prints here: ${refused.what}.`, `sed は出力だけに使えます: ${refused.what}`),
    [
      ...(saved && !inline.text.includes("'") ? [quiet(save(saved[1] ?? '', saved[2] ?? ''), words)] : []),
      ...(cleaned && !inline.text.includes("'") ? [change(`${cleaned[1]}${cleaned[2]}`, '')] : []),
      {
        words: text(
          'Print the result and save it with | tee FILE.',
          '結果は出力して | tee FILE で保存してください。',
        ),
      },
    ],
  );
}
