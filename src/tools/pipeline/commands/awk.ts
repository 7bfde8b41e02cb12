import type { StageArgument } from '../../../contract/capabilities/pipeline.ts';
import { text } from '../../../contract/text/text.ts';
import { type Grammar, passOptions, program } from '../grammar.ts';
import { GuardViolation, type Remedy } from '../guard.ts';
import { rowsOf } from '../options.ts';
import { spelledOutInAwk } from '../spelled-out.ts';
import type { Word } from '../words.ts';

const loads = {
  reason: 'AWK_IO',
  because: text(
    'awk may not load or change code or files by options.',
    'awk のオプションでコードの読み込みやファイルの変更はできません。',
  ),
} as const;

/** `awk -F, '{print $2}' FILE…`. A program's own text cannot make it write or run anything. */
export const awk: Grammar = {
  command: 'awk',
  stopsAtOperand: true,
  rows: rowsOf(
    `-F|--field-separator= -v|--assign=variable -f|--file=
    -i|--include|-l|--load|-E|--exec|-e|--source|-W=!includes
    -o|-p|-d|-D|--pretty-print|--profile|--dump-variables|--debug[=]!loads`,
    { variable: /^[A-Za-z_]\w*=/ },
    { loads, includes: { ...loads, instead: withoutLoading } },
  ),
  plan({ options, operands, has, all }, context) {
    const inFiles = has('-f');
    const [inline, ...rest] = operands;
    if (!inFiles && !inline)
      throw new GuardViolation('PARSE_ERROR', 'awk needs a program.', 'awk にはプログラムが必要です。', [
        text("For example awk '{print $1}' FILE", "例: awk '{print $1}' FILE"),
      ]);
    const source = inFiles ? all('-f').map(context.readProgram).join('\n') : (inline?.text ?? '');
    const { refused, reads } = spelledOutInAwk(source);
    if (refused) throw refuse(refused.what, context.words, inline);
    const kept = passOptions(options.filter(({ row }) => row.flags[0] !== '-f'));
    return program('awk', [...kept, '--', source, ...(inFiles ? operands : rest).map(operandOf)], { reads });
  },
};

/** `awk -i inplace PROGRAM FILE` as `awk PROGRAM FILE | tee FILE`; no suggestion for other loaded code. */
function withoutLoading(words: readonly Word[], value: string | undefined): Remedy | undefined {
  const operands = words.filter((word) => !word.text.startsWith('-'));
  const [code, file, more] = operands;
  if (value !== 'inplace' || !code || !file || more || operands.length < words.length) return undefined;
  return `awk ${code.raw} ${file.raw} | tee ${file.raw}`;
}

/** `name=value` among awk's operands sets a variable; a file of such a name is written `./name=value`. */
function operandOf({ text: operand, globbed }: Word): StageArgument {
  return /^(?:-$|[A-Za-z_]\w*=)/.test(operand) ? operand : { file: operand, globbed };
}

function refuse(what: string, words: readonly Word[], inline: Word | undefined): GuardViolation {
  return new GuardViolation(
    'AWK_IO',
    `awk only computes and prints here: ${what}.`,
    `awk は計算と出力だけに使えます: ${what}`,
    [
      ...printRemedies(words, inline),
      text(
        'Print the result and save it with | tee FILE; run other programs as stages of their own.',
        '結果は print して | tee FILE で保存し、他のプログラムは別のステージとして実行してください。',
      ),
    ],
  );
}

/** `print … > "file"` as `print … | tee file`; `print … | "sort"` as a separate stage. */
function printRemedies(words: readonly Word[], inline: Word | undefined): Remedy[] {
  const before = `^([^"]*(?:"[^"]*"[^">|]*)*?)`;
  const saved = new RegExp(String.raw`${before}(>>?)\s*"([\w./-]+)"([^">|]*)$`).exec(inline?.text ?? '');
  const piped = new RegExp(String.raw`${before}\|\s*"((?:sort|wc|head|tail|tr|rg)[^"]*)"([^">|]*)$`).exec(
    inline?.text ?? '',
  );
  const changed = saved ? `${saved[1]}${saved[4]}` : piped ? `${piped[1]}${piped[3]}` : undefined;
  if (changed === undefined || changed.includes("'")) return [];
  const stage = saved ? `tee ${saved[2] === '>>' ? '-a ' : ''}${saved[3]}` : piped?.[2];
  const code = words.map((word) => (word === inline ? `'${changed}'` : word.raw)).join(' ');
  return [`awk ${code} | ${stage}`];
}
