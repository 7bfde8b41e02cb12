import type { StageArgument } from '../../../contract/capabilities/pipeline.ts';
import { text } from '../../../contract/text/text.ts';
import { type Grammar, passOptions, program } from '../grammar.ts';
import { GuardViolation, type Remedy } from '../guard.ts';
import { commandOf, type OptionTable } from '../options.ts';
import { spelledOutInAwk } from '../spelled-out.ts';
import type { Word } from '../words.ts';

const loads = {
  reason: 'AWK_IO',
  because: text(
    'awk may not load or change code or files by options.',
    'awk のオプションでコードの読み込みやファイルの変更はできません。',
  ),
} as const;

const table: OptionTable = {
  command: 'awk',
  stopsAtOperand: true,
  rows: [
    { flags: ['-F', '--field-separator'], value: 'text' },
    { flags: ['-v', '--assign'], value: 'text', form: /^[A-Za-z_]\w*=/ },
    { flags: ['-f', '--file'], value: 'text' },
    {
      flags: ['-i', '--include', '-l', '--load', '-E', '--exec', '-e', '--source', '-W'],
      value: 'text',
      refused: { ...loads, instead: withoutLoading },
    },
    {
      flags: ['-o', '-p', '-d', '-D', '--pretty-print', '--profile', '--dump-variables', '--debug'],
      value: 'optional',
      refused: loads,
    },
  ],
};

/** `awk -i inplace PROGRAM FILE` as `awk PROGRAM FILE | tee FILE`; no suggestion for other loaded code. */
function withoutLoading(words: readonly Word[], value: string | undefined): Remedy | undefined {
  const operands = words.filter((word) => !word.text.startsWith('-'));
  const [program, file, more] = operands;
  if (value !== 'inplace' || !program || !file || more || operands.length < words.length) return undefined;
  return { pipeline: `awk ${program.raw} ${file.raw} | tee ${file.raw}` };
}

/** `awk -F, '{print $2}' FILE…`. A program's own text cannot make it write or run anything. */
export const awk: Grammar = {
  ...table,
  plan({ options, operands }, context) {
    const sources = options
      .filter(({ row }) => row.flags[0] === '-f')
      .map(({ value }) => context.readProgram(value ?? ''));
    const [inline, ...rest] = operands;
    const read = sources.length > 0 ? operands : rest;
    if (sources.length === 0 && !inline) {
      throw new GuardViolation(
        'PARSE_ERROR',
        text('awk needs a program.', 'awk にはプログラムが必要です。'),
        [{ words: text("For example awk '{print $1}' FILE", "例: awk '{print $1}' FILE") }],
      );
    }
    const source = sources.length > 0 ? sources.join('\n') : (inline?.text ?? '');
    const { refused, reads } = spelledOutInAwk(source);
    if (refused) throw refuse(refused.what, context.words, inline);
    const kept = options.filter(({ row }) => row.flags[0] !== '-f');
    return program('awk', [...passOptions(kept), '--', source, ...read.map(operandOf)], { reads });
  },
};

/** `name=value` among awk's operands sets a variable; a file of such a name is written `./name=value`. */
function operandOf({ text: operand, globbed }: Word): StageArgument {
  if (operand === '-') return '-';
  return /^[A-Za-z_]\w*=/.test(operand) ? operand : { file: operand, ...(globbed ? { globbed } : {}) };
}

function refuse(what: string, words: readonly Word[], inline: Word | undefined): GuardViolation {
  return new GuardViolation(
    'AWK_IO',
    text(`awk only computes and prints here: ${what}.`, `awk は計算と出力だけに使えます: ${what}`),
    [
      ...printRemedies(words, inline),
      {
        words: text(
          'Print the result and save it with | tee FILE; run other programs as stages of their own.',
          '結果は print して | tee FILE で保存し、他のプログラムは別のステージとして実行してください。',
        ),
      },
    ],
  );
}

/** `print … > "file"` as `print … | tee file`; `print … | "sort"` as a separate stage. */
function printRemedies(words: readonly Word[], inline: Word | undefined): Remedy[] {
  if (!inline) return [];
  const saved = /^([^"]*(?:"[^"]*"[^">|]*)*?)(>>?)\s*"([\w./-]+)"([^">|]*)$/.exec(inline.text);
  const piped = /^([^"]*(?:"[^"]*"[^">|]*)*?)\|\s*"((?:sort|wc|head|tail|tr|rg)[^"]*)"([^">|]*)$/.exec(
    inline.text,
  );
  const changed = saved ? `${saved[1]}${saved[4]}` : piped ? `${piped[1]}${piped[3]}` : undefined;
  if (changed === undefined || changed.includes("'")) return [];
  const stage = saved ? `tee ${saved[2] === '>>' ? '-a ' : ''}${saved[3]}` : piped?.[2];
  const awkCommand = commandOf(
    table,
    words.map((word) => (word === inline ? { ...word, raw: `'${changed}'` } : word)),
  );
  return 'pipeline' in awkCommand ? [{ pipeline: `${awkCommand.pipeline} | ${stage}` }] : [];
}
