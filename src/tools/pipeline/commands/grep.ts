import { text } from '../../../contract/text/text.ts';
import { shellQuote } from '../../../ground/shell-quote.ts';
import { type Grammar, passOptions, paths, program, unreadable } from '../grammar.ts';
import { GuardViolation } from '../guard.ts';
import { type OptionTable, parseOptions, rowsOf } from '../options.ts';
import type { Word } from '../words.ts';

/** Options that rg has too, under the same letter or another. `undefined`: needs no option. */
const inRipgrep = new Map<string, string | undefined>([
  ...[...'ivwxclonqHFPabABCmf'].map((letter) => [`-${letter}`, `-${letter}`] as const),
  ['-h', '-I'],
  ['-z', '--null-data'],
  ['-L', '--files-without-match'],
  ['-s', '--no-messages'],
  ['-Z', '-0'],
  ...['-E', '-G', '-r', '--color'].map((flag) => [flag, undefined] as const),
]);

const table: OptionTable = {
  command: 'grep',
  numeric: '-C',
  rows: [
    ...rowsOf(`
      -i|--ignore-case -v|--invert-match -w|--word-regexp -x|--line-regexp -c|--count
      -l|--files-with-matches -L|--files-without-match -o|--only-matching -n|--line-number
      -q|--quiet|--silent -H|--with-filename -h|--no-filename -F|--fixed-strings
      -E|--extended-regexp -G|--basic-regexp -P|--perl-regexp -a|--text -b|--byte-offset
      -s|--no-messages -z|--null-data -Z|--null -r|--recursive
    `),
    ...rowsOf('-A|--after-context -B|--before-context -C|--context -m|--max-count', { value: 'number' }),
    { flags: ['-e', '--regexp'], value: 'text' },
    { flags: ['-f', '--file'], value: 'file' },
    ...rowsOf('--include --exclude --exclude-dir', { value: 'text' }),
    { flags: ['--color', '--colour'], value: 'optional', form: /^(never|auto|always)$/ },
    {
      flags: ['-d', '--directories', '-D', '--devices', '--exclude-from', '--binary-files', '--label'],
      value: 'text',
      refused: {
        reason: 'DISALLOWED_FLAG',
        because: text('grep reads files and folders only.', 'grep が読むのはファイルとフォルダーだけです。'),
      },
    },
    {
      flags: ['-R', '--dereference-recursive'],
      refused: {
        reason: 'DISALLOWED_FLAG',
        because: text(
          'grep -R follows links out; -r does not.',
          'grep -R はリンクをたどります。-r を使ってください。',
        ),
        instead: (words) => ({ pipeline: ['grep -r', ...words.map((word) => word.raw)].join(' ') }),
      },
    },
  ],
};

/** `grep -rn PATTERN PATH…`, in the extended list. */
export const grep: Grammar = {
  ...table,
  extended: true,
  plan({ options, operands }) {
    const [pattern, ...rest] = operands;
    const named = options.some(({ row }) => row.flags[0] === '-e' || row.flags[0] === '-f');
    if (!named && !pattern) {
      throw new GuardViolation(
        'PARSE_ERROR',
        text('grep needs a pattern.', 'grep にはパターンが必要です。'),
        [{ pipeline: 'rg --files' }],
      );
    }
    const given = [...passOptions(options), ...(named || !pattern ? [] : ['-e', pattern.text])];
    return program('grep', [...given, '--', ...paths(named ? operands : rest)], {
      answers: [0, 1],
      minor: unreadable,
    });
  },
};

/** Options of grep for which rg needs none: it skips binary files, follows no link, and prints as it finds. */
const suggestible: OptionTable = {
  ...table,
  rows: [
    ...table.rows.filter((row) => !row.refused),
    ...rowsOf('-R|--dereference-recursive -I --line-buffered'),
  ],
};

/** The rg command equivalent to a grep command; undefined if its flags cannot be translated. */
export function asRipgrep(
  name: string,
  words: readonly Word[],
  { onlyPattern = false }: { readonly onlyPattern?: boolean } = {},
): string | undefined {
  try {
    const { options, operands } = parseOptions(suggestible, words);
    const kinds = new Set(options.map(({ row }) => row.flags[0]));
    const isBasic = name === 'grep' && !kinds.has('-E') && !kinds.has('-F') && !kinds.has('-P');
    const flags = options.flatMap(({ row, value }) => {
      const flag = row.flags[0] ?? '';
      if (flag === '-e') return ['-e', shellQuote(isBasic ? fromBasic(value ?? '') : (value ?? ''))];
      if (flag === '--include') return ['-g', shellQuote(value ?? '')];
      if (flag === '--exclude' || flag === '--exclude-dir') return ['-g', shellQuote(`!${value ?? ''}`)];
      const same = inRipgrep.get(flag);
      if (same === undefined) return [];
      // grep counts files without a match too.
      if (flag === '-c') return ['-c', '--include-zero'];
      return value === undefined ? [same] : [same, shellQuote(value)];
    });
    const fixed = name === 'fgrep' ? ['-F'] : [];
    const [first, ...rest] = operands;
    const named = kinds.has('-e') || kinds.has('-f');
    const pattern = named || !first ? [] : [shellQuote(isBasic ? fromBasic(first.text) : first.text)];
    // Only one of rg's engines supports backreferences.
    const backwards = pattern.some((text) => /\\[1-9]/.test(text)) && !kinds.has('-P') ? ['-P'] : [];
    const dashed = first?.text.startsWith('-') && !named ? ['-e'] : [];
    const searched = named ? operands : rest;
    if (onlyPattern && searched.length > 0) return undefined;
    return [
      'rg',
      ...fixed,
      ...backwards,
      ...flags,
      ...dashed,
      ...pattern,
      ...searched.map((word) => word.raw),
    ].join(' ');
  } catch {
    // A command that cannot be parsed gets no suggestion.
    return undefined;
  }
}

/** A basic regular expression in rg's syntax: `\(a\|b\)` is `(a|b)`, and `(` is a literal. */
function fromBasic(pattern: string): string {
  return pattern.replace(/\\?[(){}|+?]/g, (found) =>
    found.startsWith('\\') ? found.slice(1) : `\\${found}`,
  );
}
