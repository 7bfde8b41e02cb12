import type { ProgramName } from '../../../contract/capabilities/pipeline.ts';
import { text } from '../../../contract/text/text.ts';
import { files, type Grammar, passOptions, program } from '../grammar.ts';
import { GuardViolation } from '../guard.ts';
import {
  commandOf,
  type OptionRow,
  type OptionTable,
  type ParsedArguments,
  type Refusal,
  rowsOf,
} from '../options.ts';

/** Small programs with options and files to read. Those that are not marked otherwise are in the extended list. */

const amounts = [
  ...rowsOf('-n|--lines -c|--bytes', { value: 'text', form: /^[+-]?\d+(b|[kKMGTPE](i?B)?)?$/ }),
  ...rowsOf('-q|--quiet|--silent -v|--verbose -z|--zero-terminated'),
];

/** `head -n 20 FILE…`, `head -5`, `head -c 1K`. */
export const head: Grammar = { ...reader('head', amounts), extended: false, numeric: '-n' };

const refusesWaiting = {
  refused: {
    reason: 'DISALLOWED_FLAG',
    because: text('tail cannot wait for more: a pipeline ends.', 'tail で追記を待つことはできません。'),
  },
} as const;

/** `tail -n 100 FILE…`, `tail -n +5`, `tail -20`, `tail +2`. */
export const tail: Grammar = {
  command: 'tail',
  numeric: '-n',
  rows: [
    ...amounts,
    ...rowsOf('-f|--follow', { value: 'optional', ...refusesWaiting }),
    ...rowsOf('-F|--retry', refusesWaiting),
    ...rowsOf('--pid|-s|--sleep-interval|--max-unchanged-stats', { value: 'text', ...refusesWaiting }),
  ],
  plan({ options, operands }) {
    const [first, ...rest] = operands;
    // The old spelling of `-n +2`, valid only alone before one file.
    if (first && /^\+\d+$/.test(first.text) && options.length === 0 && rest.length < 2)
      return program('tail', ['-n', first.text, '--', ...files(rest)]);
    return program('tail', [...passOptions(options), '--', ...files(operands)]);
  },
};

/** `wc -l FILE…`. */
export const wc: Grammar = {
  ...reader('wc', [
    ...rowsOf('-l|--lines -w|--words -c|--bytes -m|--chars -L|--max-line-length'),
    ...rowsOf('--files0-from', { value: 'text', refused: filesFromList('wc') }),
  ]),
  extended: false,
};

/** The command itself would open the names listed in a file, without our checks. */
export function filesFromList(command: string): Refusal {
  return {
    reason: 'DISALLOWED_FLAG',
    because: text(
      `${command} takes file names as operands only.`,
      `${command} のファイル名は引数で指定してください。`,
    ),
  };
}

export const cat = reader(
  'cat',
  rowsOf(`
    -A|--show-all -b|--number-nonblank -e -E|--show-ends -n|--number -s|--squeeze-blank -t
    -T|--show-tabs -u -v|--show-nonprinting
  `),
);

export const cut = reader('cut', [
  ...rowsOf('-b|--bytes -c|--characters -f|--fields', { value: 'text', form: /^[\d,-]+$/ }),
  { flags: ['-d', '--delimiter'], value: 'text' },
  ...rowsOf('-s|--only-delimited -z|--zero-terminated --complement'),
  { flags: ['--output-delimiter'], value: 'text' },
]);

export const nl = reader('nl', [
  ...rowsOf('-b|--body-numbering -f|--footer-numbering -h|--header-numbering', { value: 'text' }),
  { flags: ['-n', '--number-format'], value: 'text', form: /^(ln|rn|rz)$/ },
  ...rowsOf('-i|--line-increment -v|--starting-line-number', { value: 'number' }),
  { flags: ['-w', '--number-width'], value: 'number', form: /^\d{1,3}$/ },
  { flags: ['-s', '--number-separator'], value: 'text' },
  ...rowsOf('-p|--no-renumber'),
]);

export const tac = reader('tac', [
  { flags: ['-s', '--separator'], value: 'text' },
  ...rowsOf('-b|--before -r|--regex'),
]);

export const paste = reader('paste', [
  { flags: ['-d', '--delimiters'], value: 'text' },
  ...rowsOf('-s|--serial -z|--zero-terminated'),
]);

export const column = reader('column', [
  ...rowsOf('-t|--table'),
  ...rowsOf('-s|--separator -o|--output-separator -N|--table-columns -R|--table-right', { value: 'text' }),
  ...rowsOf('-x|--fillrows'),
  { flags: ['-c', '--output-width'], value: 'number' },
]);

export const comm = reader(
  'comm',
  [...rowsOf('-1 -2 -3 -z'), { flags: ['--output-delimiter'], value: 'text' }, { flags: ['--total'] }],
  {
    operands: [2, 2],
  },
);

export const join = reader(
  'join',
  [
    ...rowsOf('-i -z'),
    ...rowsOf('-1 -2 -j', { value: 'number' }),
    ...rowsOf('-a -v', { value: 'text', form: /^[12]$/ }),
    { flags: ['-e'], value: 'text' },
    { flags: ['-o'], value: 'text', form: /^(auto|[\d.,]+)$/ },
    { flags: ['-t'], value: 'text' },
    ...rowsOf('--header --nocheck-order'),
  ],
  { operands: [2, 2] },
);

export const diff = reader(
  'diff',
  [
    ...rowsOf('-a -b -B -c -d -e -i -n -N -q -s -t -T -u -w -y --brief'),
    { flags: ['--unified'], value: 'optional', form: /^\d+$/ },
    ...rowsOf('-U -C -W|--width', { value: 'number' }),
    ...rowsOf('-I|--ignore-matching-lines --label', { value: 'text' }),
    ...rowsOf(`
      --ignore-all-space --ignore-space-change --ignore-case --strip-trailing-cr --side-by-side
      --suppress-common-lines
    `),
  ],
  { operands: [2, 2], answers: [0, 1] },
);

export const uniq = reader(
  'uniq',
  [
    ...rowsOf('-c|--count -d|--repeated -D -u|--unique -i|--ignore-case -z|--zero-terminated'),
    ...rowsOf('-f|--skip-fields -s|--skip-chars -w|--check-chars', { value: 'number' }),
  ],
  // The second operand of uniq is a file that it writes.
  { operands: [0, 1] },
);

function reader(
  command: ProgramName,
  rows: readonly OptionRow[],
  more: { readonly operands?: readonly [number, number]; readonly answers?: readonly number[] } = {},
): Grammar {
  const table: OptionTable = { command, rows };
  return {
    ...table,
    extended: true,
    plan(args, { words }) {
      if (more.operands) assertOperands(table, args, more.operands, words);
      return program(command, [...passOptions(args.options), '--', ...files(args.operands)], {
        ...(more.answers ? { answers: more.answers } : {}),
      });
    },
  };
}

function assertOperands(
  table: OptionTable,
  { operands }: ParsedArguments,
  [least, most]: readonly [number, number],
  words: Parameters<Grammar['plan']>[1]['words'],
): void {
  if (operands.length >= least && operands.length <= most) return;
  const surplus = new Set(operands.slice(most));
  throw new GuardViolation(
    'PARSE_ERROR',
    least === most
      ? text(
          `${table.command} takes ${most} files.`,
          `${table.command} には ${most} つのファイルが必要です。`,
        )
      : text(
          `${table.command} reads one file, and writes none. Save with | tee.`,
          `${table.command} が読めるのは 1 ファイルだけで、書き込みはできません。保存は | tee で行います。`,
        ),
    operands.length > most
      ? [
          commandOf(
            table,
            words.filter((word) => !surplus.has(word)),
          ),
        ]
      : [{ words: text(`${table.command} FILE1 FILE2`, `${table.command} FILE1 FILE2`) }],
  );
}
