import { text } from '../../../contract/text/text.ts';
import { shellQuote } from '../../../ground/shell-quote.ts';
import { files, type Grammar, passOptions, program } from '../grammar.ts';
import { type ParsedOption, rowsOf } from '../options.ts';
import type { Word } from '../words.ts';
import { filesFromList } from './coreutils.ts';

const runsPrograms = {
  reason: 'DISALLOWED_FLAG',
  because: text('sort may not run other programs.', 'sort から他のプログラムは実行できません。'),
} as const;
const choosesFolder = {
  reason: 'DISALLOWED_FLAG',
  because: text('sort manages its temporary files itself.', 'sort の一時ファイルの場所は指定できません。'),
} as const;

/** `sort -t, -k2,2nr -u FILE…`. */
export const sort: Grammar = {
  command: 'sort',
  rows: [
    ...rowsOf(`
      -b|--ignore-leading-blanks -d|--dictionary-order -f|--ignore-case -g|--general-numeric-sort
      -i|--ignore-nonprinting -M|--month-sort -h|--human-numeric-sort -n|--numeric-sort
      -V|--version-sort -r|--reverse
    `),
    { flags: ['--sort'], value: 'text', form: /^(general-numeric|human-numeric|month|numeric|version)$/ },
    { flags: ['-c', '--check'], value: 'optional', form: /^(diagnose-first|quiet|silent)$/ },
    ...rowsOf('-C -m|--merge -s|--stable -u|--unique -z|--zero-terminated'),
    { flags: ['-k', '--key'], value: 'text', form: /^[\d.,bdfgiMhnRrV]+$/ },
    { flags: ['-t', '--field-separator'], value: 'text' },
    { flags: ['-S', '--buffer-size'], value: 'text', form: /^\d{1,6}[KM]?$/ },
    { flags: ['--parallel'], value: 'text', form: /^[1-4]$/ },
    ...rowsOf('-R|--random-sort'),
    {
      flags: ['-o', '--output'],
      value: 'text',
      refused: {
        reason: 'DISALLOWED_FLAG',
        because: text(
          'sort writes to its output. Save with | tee.',
          'sort の結果は標準出力に出ます。保存は | tee で行います。',
        ),
        instead: (words, file) => ({
          pipeline: `sort ${words.map((word) => word.raw).join(' ')} | tee ${shellQuote(file ?? 'sorted.txt')}`,
        }),
      },
    },
    { flags: ['--compress-program'], value: 'text', refused: runsPrograms },
    { flags: ['-T', '--temporary-directory'], value: 'text', refused: choosesFolder },
    { flags: ['--files0-from', '--random-source'], value: 'text', refused: filesFromList('sort') },
  ],
  // 1 of `sort -c` says "not sorted".
  plan: ({ options, operands }) =>
    program('sort', [...roomFor(options, operands), ...passOptions(options), '--', ...files(operands)], {
      answers: options.some(({ flag }) => flag === '-c' || flag === '-C' || flag === '--check')
        ? [0, 1]
        : [0],
    }),
};

/**
 * sort does not know the size of piped input: it would begin with little memory and write temporary files that count as
 * its output. For files it chooses well.
 */
function roomFor(options: readonly ParsedOption[], operands: readonly Word[]): string[] {
  const reads = operands.some((operand) => operand.text !== '-');
  return reads || options.some(({ row }) => row.flags[0] === '-S') ? [] : ['-S', '512M'];
}
