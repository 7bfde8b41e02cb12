import type { ProgramName } from '../../../contract/capabilities/pipeline.ts';
import { text } from '../../../contract/text/text.ts';
import { files, type Grammar, passOptions, program } from '../grammar.ts';
import { GuardViolation } from '../guard.ts';
import { commandOf, type OptionRow, type OptionTable, type ParsedArguments } from '../options.ts';

/** The small programs of `pipeline.commands: "extended"`: options and files, no writing. */

export const cat = reader('cat', [
  ...switches('-A -b -e -E -n -s -t -T -v'),
  { flags: ['--number'] },
  { flags: ['--number-nonblank'] },
  { flags: ['--squeeze-blank'] },
  { flags: ['--show-all'] },
]);

export const cut = reader('cut', [
  { flags: ['-b', '--bytes'], value: 'text', form: /^[\d,-]+$/ },
  { flags: ['-c', '--characters'], value: 'text', form: /^[\d,-]+$/ },
  { flags: ['-f', '--fields'], value: 'text', form: /^[\d,-]+$/ },
  { flags: ['-d', '--delimiter'], value: 'text' },
  { flags: ['-s', '--only-delimited'] },
  { flags: ['-z', '--zero-terminated'] },
  { flags: ['--complement'] },
  { flags: ['--output-delimiter'], value: 'text' },
]);

export const nl = reader('nl', [
  { flags: ['-b', '--body-numbering'], value: 'text' },
  { flags: ['-f', '--footer-numbering'], value: 'text' },
  { flags: ['-h', '--header-numbering'], value: 'text' },
  { flags: ['-n', '--number-format'], value: 'text', form: /^(ln|rn|rz)$/ },
  { flags: ['-i', '--line-increment'], value: 'number' },
  { flags: ['-v', '--starting-line-number'], value: 'number' },
  { flags: ['-w', '--number-width'], value: 'number', form: /^\d{1,3}$/ },
  { flags: ['-s', '--number-separator'], value: 'text' },
  { flags: ['-p', '--no-renumber'] },
]);

export const tac = reader('tac', [
  { flags: ['-s', '--separator'], value: 'text' },
  { flags: ['-b', '--before'] },
  { flags: ['-r', '--regex'] },
]);

export const paste = reader('paste', [
  { flags: ['-d', '--delimiters'], value: 'text' },
  { flags: ['-s', '--serial'] },
  { flags: ['-z', '--zero-terminated'] },
]);

export const column = reader('column', [
  { flags: ['-t', '--table'] },
  { flags: ['-s', '--separator'], value: 'text' },
  { flags: ['-o', '--output-separator'], value: 'text' },
  { flags: ['-N', '--table-columns'], value: 'text' },
  { flags: ['-R', '--table-right'], value: 'text' },
  { flags: ['-x', '--fillrows'] },
  { flags: ['-c', '--output-width'], value: 'number' },
]);

export const comm = reader(
  'comm',
  [...switches('-1 -2 -3 -z'), { flags: ['--output-delimiter'], value: 'text' }, { flags: ['--total'] }],
  {
    operands: [2, 2],
  },
);

export const join = reader(
  'join',
  [
    ...switches('-i -z'),
    ...['-1', '-2', '-j'].map((flag): OptionRow => ({ flags: [flag], value: 'number' })),
    { flags: ['-a'], value: 'text', form: /^[12]$/ },
    { flags: ['-v'], value: 'text', form: /^[12]$/ },
    { flags: ['-e'], value: 'text' },
    { flags: ['-o'], value: 'text', form: /^(auto|[\d.,]+)$/ },
    { flags: ['-t'], value: 'text' },
    { flags: ['--header'] },
    { flags: ['--nocheck-order'] },
  ],
  { operands: [2, 2] },
);

export const diff = reader(
  'diff',
  [
    ...switches('-a -b -B -c -d -e -i -n -N -q -s -t -T -u -w -y'),
    { flags: ['--brief'] },
    { flags: ['--unified'], value: 'optional', form: /^\d+$/ },
    { flags: ['-U'], value: 'number' },
    { flags: ['-C'], value: 'number' },
    { flags: ['-W', '--width'], value: 'number' },
    { flags: ['-I', '--ignore-matching-lines'], value: 'text' },
    { flags: ['--label'], value: 'text' },
    { flags: ['--ignore-all-space'] },
    { flags: ['--ignore-space-change'] },
    { flags: ['--ignore-case'] },
    { flags: ['--strip-trailing-cr'] },
    { flags: ['--side-by-side'] },
    { flags: ['--suppress-common-lines'] },
  ],
  { operands: [2, 2], answers: [0, 1] },
);

export const uniq: Grammar = {
  ...reader(
    'uniq',
    [
      { flags: ['-c', '--count'] },
      { flags: ['-d', '--repeated'] },
      { flags: ['-D'] },
      { flags: ['-u', '--unique'] },
      { flags: ['-i', '--ignore-case'] },
      { flags: ['-z', '--zero-terminated'] },
      { flags: ['-f', '--skip-fields'], value: 'number' },
      { flags: ['-s', '--skip-chars'], value: 'number' },
      { flags: ['-w', '--check-chars'], value: 'number' },
    ],
    // The second operand of uniq is a file that it writes.
    { operands: [0, 1] },
  ),
};

function switches(flags: string): OptionRow[] {
  return flags.split(' ').map((flag) => ({ flags: [flag] }));
}

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
