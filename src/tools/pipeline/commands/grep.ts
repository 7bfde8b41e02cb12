import { text } from '../../../contract/text/text.ts';
import { shellQuote } from '../../../ground/shell-quote.ts';
import { type Grammar, passOptions, paths, program, unreadable } from '../grammar.ts';
import { GuardViolation } from '../guard.ts';
import { commandOf, type OptionTable, parseOptions, rowsOf } from '../options.ts';
import type { Word } from '../words.ts';

const table: OptionTable = {
  command: 'grep',
  numeric: '-C',
  rows: rowsOf(
    `-i|--ignore-case -v|--invert-match -w|--word-regexp -x|--line-regexp -c|--count -l|--files-with-matches
    -L|--files-without-match -o|--only-matching -n|--line-number -q|--quiet|--silent -H|--with-filename
    -h|--no-filename -F|--fixed-strings -E|--extended-regexp -G|--basic-regexp -P|--perl-regexp -a|--text
    -b|--byte-offset -s|--no-messages -z|--null-data -Z|--null -r|--recursive -A|--after-context=#
    -B|--before-context=# -C|--context=# -m|--max-count=# -e|--regexp= -f|--file=@ --include= --exclude=
    --exclude-dir= --color|--colour[=when]
    -d|--directories|-D|--devices|--exclude-from|--binary-files|--label=!reads -R|--dereference-recursive!leaves`,
    { when: /^(never|auto|always)$/ },
    {
      reads: text('grep reads files and folders only.', 'grep が読むのはファイルとフォルダーだけです。'),
      leaves: {
        because: text(
          'grep -R follows links out; -r does not.',
          'grep -R はリンクをたどります。-r を使ってください。',
        ),
        instead: (words) => commandOf({ command: 'grep -r' }, words),
      },
    },
  ),
};

/** `grep -rn PATTERN PATH…`, in the extended list. */
export const grep: Grammar = {
  ...table,
  plan({ options, operands, has }) {
    const [pattern, ...rest] = operands;
    const named = has('-e') || has('-f');
    if (!named && !pattern)
      throw new GuardViolation('PARSE_ERROR', 'grep needs a pattern.', 'grep にはパターンが必要です。', [
        'rg --files',
      ]);
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

/** Options that rg has under another name; it has those of these letters, too. It needs none of the rest. */
const inRipgrep: Readonly<Record<string, readonly string[]>> = {
  '-h': ['-I'],
  '-z': ['--null-data'],
  '-L': ['--files-without-match'],
  '-s': ['--no-messages'],
  '-Z': ['-0'],
  // grep counts files without a match too.
  '-c': ['-c', '--include-zero'],
};
const alike = /^-[ivwxlonqHFPabABCmf]$/;

/** The rg command equivalent to a grep command; undefined if its flags cannot be translated. */
export function asRipgrep(
  name: string,
  words: readonly Word[],
  { onlyPattern = false }: { readonly onlyPattern?: boolean } = {},
): string | undefined {
  try {
    const { options, operands, has } = parseOptions(suggestible, words);
    const isBasic = name === 'grep' && !has('-E') && !has('-F') && !has('-P');
    const quoted = (pattern: string) => shellQuote(isBasic ? fromBasic(pattern) : pattern);
    const flags = options.flatMap(({ row, value = '' }) => {
      const flag = row.flags[0] ?? '';
      if (flag === '-e') return ['-e', quoted(value)];
      if (flag === '--include') return ['-g', shellQuote(value)];
      if (flag === '--exclude' || flag === '--exclude-dir') return ['-g', shellQuote(`!${value}`)];
      if (!alike.test(flag)) return inRipgrep[flag] ?? [];
      return row.value === 'none' ? [flag] : [flag, shellQuote(value)];
    });
    const [first, ...rest] = operands;
    const named = has('-e') || has('-f');
    const pattern = named || !first ? [] : [quoted(first.text)];
    // Only one of rg's engines supports backreferences.
    const backwards = pattern.some((written) => /\\[1-9]/.test(written)) && !has('-P') ? ['-P'] : [];
    const dashed = first?.text.startsWith('-') && !named ? ['-e'] : [];
    const searched = named ? operands : rest;
    if (onlyPattern && searched.length > 0) return undefined;
    const given = [...(name === 'fgrep' ? ['-F'] : []), ...backwards, ...flags, ...dashed, ...pattern];
    return ['rg', ...given, ...searched.map((word) => word.raw)].join(' ');
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
