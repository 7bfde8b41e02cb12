import type { ProgramName, ProgramWork } from '../../../contract/capabilities/pipeline.ts';
import { text } from '../../../contract/text/text.ts';
import { shellQuote } from '../../../ground/shell-quote.ts';
import { files, type Grammar, passOptions, paths, program, unreadable } from '../grammar.ts';
import { GuardViolation } from '../guard.ts';
import { commandOf, type OptionRow, type ParsedArguments, rowsOf } from '../options.ts';
import type { Word } from '../words.ts';

/** Small programs with options and files to read. */

const amounts = '-n|--lines=amount -c|--bytes=amount -q|--quiet|--silent -v|--verbose -z|--zero-terminated';
const amount = /^[+-]?\d+(b|[kKMGTPE](i?B)?)?$/;

/** The command itself would open the names listed in a file, without our checks. */
const fromList = (command: string) =>
  text(`${command} takes file names as operands only.`, `${command} のファイル名は引数で指定してください。`);

/** `head -n 20 FILE…`, `head -5`, `head -c 1K`. */
const head: Grammar = { ...reader('head', rowsOf(amounts, { amount })), numeric: '-n' };

/** `tail -n 100 FILE…`, `tail -n +5`, `tail -20`, `tail +2`. */
const tail: Grammar = {
  command: 'tail',
  numeric: '-n',
  rows: rowsOf(
    `${amounts} -f|--follow[=]!waits -F|--retry!waits
    --pid|-s|--sleep-interval|--max-unchanged-stats=!waits`,
    { amount },
    { waits: text('tail cannot wait for more: a pipeline ends.', 'tail で追記を待つことはできません。') },
  ),
  plan({ options, operands }) {
    const [first, ...rest] = operands;
    // The old spelling of `-n +2`, valid only alone before one file.
    if (first && /^\+\d+$/.test(first.text) && options.length === 0 && rest.length < 2)
      return program('tail', ['-n', first.text, '--', ...files(rest)]);
    return program('tail', [...passOptions(options), '--', ...files(operands)]);
  },
};

/** `wc -l FILE…`. */
const wc = reader(
  'wc',
  rowsOf(
    '-l|--lines -w|--words -c|--bytes -m|--chars -L|--max-line-length --files0-from=!list',
    {},
    { list: fromList('wc') },
  ),
);

/** `ls -la PATH…`. Follows no link. */
const ls: Grammar = {
  command: 'ls',
  rows: rowsOf(
    `-1 -A -B -C -F -G -N -Q -R -S -U -X -a -b -c -d -f -g -h -i -l -m -n -o -p -q -r -s -t -u -v
    -x --all --almost-all --directory --human-readable --recursive --reverse --size --full-time
    --group-directories-first --color[=color] --classify[=when] --format=format --sort=sort --time=time
    --time-style=style -I|--ignore= --hide= -w|--width=#`,
    {
      color: /^(never|auto|no|none|tty|if-tty)$/,
      when: /^(never|auto|always)$/,
      format: /^(across|commas|horizontal|long|single-column|verbose|vertical)$/,
      sort: /^(none|size|time|version|extension|width)$/,
      time: /^(atime|access|use|ctime|status|birth|creation|mtime|modification)$/,
      style: /^(full-iso|long-iso|iso|locale|\+[^\n]*)$/,
    },
  ),
  plan: ({ options, operands }) =>
    program('ls', [...passOptions(options), '--', ...paths(operands)], { minor: unreadable }),
};

/** `sort -t, -k2,2nr -u FILE…`. */
const sort: Grammar = {
  command: 'sort',
  rows: rowsOf(
    `-b|--ignore-leading-blanks -d|--dictionary-order -f|--ignore-case -g|--general-numeric-sort
    -i|--ignore-nonprinting -M|--month-sort -h|--human-numeric-sort -n|--numeric-sort -V|--version-sort
    -r|--reverse --sort=kind -c|--check[=check] -C -m|--merge -s|--stable -u|--unique -z|--zero-terminated
    -k|--key=key -t|--field-separator= -S|--buffer-size=size --parallel=threads -R|--random-sort
    -o|--output=!saves --compress-program=!runs -T|--temporary-directory=!folder
    --files0-from|--random-source=!list`,
    {
      kind: /^(general-numeric|human-numeric|month|numeric|version)$/,
      check: /^(diagnose-first|quiet|silent)$/,
      key: /^[\d.,bdfgiMhnRrV]+$/,
      size: /^\d{1,6}[KM]?$/,
      threads: /^[1-4]$/,
    },
    {
      saves: {
        because: text(
          'sort writes to its output. Save with | tee.',
          'sort の結果は標準出力に出ます。保存は | tee で行います。',
        ),
        instead: (words, file) => `${commandOf(sort, words)} | tee ${shellQuote(file ?? 'sorted.txt')}`,
      },
      runs: text('sort may not run other programs.', 'sort から他のプログラムは実行できません。'),
      folder: text('sort manages its temporary files itself.', 'sort の一時ファイルの場所は指定できません。'),
      list: fromList('sort'),
    },
  ),
  plan({ options, operands, has }) {
    const reads = operands.some((operand) => operand.text !== '-');
    // sort does not know the size of piped input: it would begin with little memory and write temporary files, which
    // count as its output. For files it chooses well.
    const room = reads || has('-S') ? [] : ['-S', '512M'];
    return program('sort', [...room, ...passOptions(options), '--', ...files(operands)], {
      // 1 of `sort -c` says "not sorted".
      answers: has('-c') || has('-C') ? [0, 1] : [0],
    });
  },
};

/** `tr a-z A-Z`, `tr -d '\r'`. Reads only piped input. */
const tr: Grammar = {
  command: 'tr',
  stopsAtOperand: true,
  rows: rowsOf('-c|-C|--complement -d|--delete -s|--squeeze-repeats -t|--truncate-set1'),
  plan({ options, operands }, { isFirst }) {
    const sets = operands.map((operand) => operand.text);
    if (sets.length > 0 && sets.length < 3 && !isFirst)
      return program('tr', [...passOptions(options), '--', ...sets]);
    const file = sets.at(-1) ?? '';
    const kept = sets.length > 2 || (sets.length === 2 && options.length > 0) ? sets.slice(0, -1) : sets;
    const flags = options.map(({ flag }) => `${flag} `).join('');
    throw new GuardViolation(
      'PARSE_ERROR',
      'tr takes one or two sets of characters, and reads what is piped into it.',
      'tr は 1 つまたは 2 つの文字集合を取り、パイプから読みます。',
      [
        ...(/[./]/.test(file) && kept.length > 0
          ? [`tail -n +1 ${shellQuote(file)} | tr ${flags}${kept.map(shellQuote).join(' ')}`]
          : []),
        text(
          'Pipe a file into it: tail -n +1 FILE | tr a-z A-Z',
          'ファイルはパイプで渡してください: tail -n +1 FILE | tr a-z A-Z',
        ),
      ],
    );
  },
};

/** Document 004's. */
export const coreutils = { head, tail, wc, ls, sort, tr } as const;

/** Those of the extended list. */
export const further = {
  cat: reader(
    'cat',
    rowsOf(`-A|--show-all -b|--number-nonblank -e -E|--show-ends -n|--number -s|--squeeze-blank -t
      -T|--show-tabs -u -v|--show-nonprinting`),
  ),
  cut: reader(
    'cut',
    rowsOf(
      `-b|--bytes=list -c|--characters=list -f|--fields=list -d|--delimiter= -s|--only-delimited
      -z|--zero-terminated --complement --output-delimiter=`,
      { list: /^[\d,-]+$/ },
    ),
  ),
  nl: reader(
    'nl',
    rowsOf(
      `-b|--body-numbering= -f|--footer-numbering= -h|--header-numbering= -n|--number-format=format
      -i|--line-increment=# -v|--starting-line-number=# -w|--number-width=width -s|--number-separator=
      -p|--no-renumber`,
      { format: /^(ln|rn|rz)$/, width: /^\d{1,3}$/ },
    ),
  ),
  tac: reader('tac', rowsOf('-s|--separator= -b|--before -r|--regex')),
  paste: reader('paste', rowsOf('-d|--delimiters= -s|--serial -z|--zero-terminated')),
  column: reader(
    'column',
    rowsOf(`-t|--table -s|--separator= -o|--output-separator= -N|--table-columns= -R|--table-right=
      -x|--fillrows -c|--output-width=#`),
  ),
  comm: reader('comm', rowsOf('-1 -2 -3 -z --output-delimiter= --total'), { operands: [2, 2] }),
  join: reader(
    'join',
    rowsOf('-i -z -1=# -2=# -j=# -a=file -v=file -e= -o=fields -t= --header --nocheck-order', {
      file: /^[12]$/,
      fields: /^(auto|[\d.,]+)$/,
    }),
    { operands: [2, 2] },
  ),
  diff: reader(
    'diff',
    rowsOf(
      `-a -b -B -c -d -e -i -n -N -q -s -t -T -u -w -y --brief --unified[=#] -U=# -C=# -W|--width=#
      -I|--ignore-matching-lines= --label= --ignore-all-space --ignore-space-change --ignore-case
      --strip-trailing-cr --side-by-side --suppress-common-lines`,
    ),
    { operands: [2, 2], answers: [0, 1] },
  ),
  uniq: reader(
    'uniq',
    rowsOf(`-c|--count -d|--repeated -D -u|--unique -i|--ignore-case -z|--zero-terminated
      -f|--skip-fields=# -s|--skip-chars=# -w|--check-chars=#`),
    // The second operand of uniq is a file that it writes.
    { operands: [0, 1] },
  ),
} as const;

type ReaderRules = Partial<Pick<ProgramWork, 'answers'>> & { readonly operands?: readonly [number, number] };

function reader(
  command: ProgramName,
  rows: readonly OptionRow[],
  { operands: counts, ...more }: ReaderRules = {},
): Grammar {
  return {
    command,
    rows,
    plan(args, { words }) {
      if (counts) assertOperands(command, args, counts, words);
      return program(command, [...passOptions(args.options), '--', ...files(args.operands)], more);
    },
  };
}

function assertOperands(
  command: string,
  { operands }: ParsedArguments,
  [least, most]: readonly [number, number],
  words: readonly Word[],
): void {
  if (operands.length >= least && operands.length <= most) return;
  const surplus = new Set(operands.slice(most));
  const detail =
    least === most
      ? text(`${command} takes ${most} files.`, `${command} には ${most} つのファイルが必要です。`)
      : text(
          `${command} reads one file, and writes none. Save with | tee.`,
          `${command} が読めるのは 1 ファイルだけで、書き込みはできません。保存は | tee で行います。`,
        );
  const shorter = words.filter((word) => !surplus.has(word));
  throw new GuardViolation('PARSE_ERROR', detail, [
    surplus.size > 0
      ? commandOf({ command }, shorter)
      : text(`${command} FILE1 FILE2`, `${command} FILE1 FILE2`),
  ]);
}
