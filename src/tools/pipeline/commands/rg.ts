import { text } from '../../../contract/text/text.ts';
import { type Grammar, passOptions, paths, program, unreadable } from '../grammar.ts';
import { GuardViolation } from '../guard.ts';
import { rowsOf } from '../options.ts';

/** No files to search means no matches, which is no error. */
const minor = new RegExp(`^rg: No files were searched|^Running with --debug|${unreadable.source}`);

/** `rg -n PATTERN PATH…`. Without a path the first stage searches the working folder, a later one its input. */
export const rg: Grammar = {
  command: 'rg',
  rows: rowsOf(
    `-i|--ignore-case -s|--case-sensitive -S|--smart-case -v|--invert-match -w|--word-regexp
    -x|--line-regexp -F|--fixed-strings -P|--pcre2 -n|--line-number -N|--no-line-number
    -H|--with-filename -I|--no-filename -c|--count --count-matches -l|--files-with-matches
    --files-without-match -o|--only-matching -q|--quiet -U|--multiline --multiline-dotall
    -0|--null -a|--text --binary -.|--hidden --no-hidden --no-ignore --no-ignore-vcs
    --no-ignore-parent --no-ignore-dot --no-ignore-files --no-ignore-global --no-ignore-exclude
    --no-ignore-messages --no-require-git --no-mmap -u|--unrestricted --files --heading
    --no-heading -b|--byte-offset --column --no-column --vimgrep --json --stats --trim --crlf
    --null-data -p|--pretty --passthru --no-messages --no-config --include-zero
    --glob-case-insensitive --no-unicode --type-list -V --version --one-file-system
    --line-buffered --block-buffered --no-context-separator --max-columns-preview --stop-on-nonmatch
    -A|--after-context=# -B|--before-context=# -C|--context=# -m|--max-count=# -d|--max-depth|--maxdepth=#
    -j|--threads=threads -M|--max-columns=# -e|--regexp= -f|--file=@ --ignore-file=@ -g|--glob= --iglob=
    -t|--type=word -T|--type-not=word --type-add= -r|--replace= -E|--encoding=word --engine=engine
    --color=when --sort=order --sortr=order --max-filesize=size --context-separator=
    --field-match-separator= --field-context-separator= --path-separator=
    --pre|--pre-glob|--hostname-bin=!runs -z|--search-zip!runs -L|--follow!leaves
    --colors|--hyperlink-format|--regex-size-limit|--dfa-size-limit|--generate|--type-clear=!idle`,
    {
      threads: /^[1-8]$/,
      word: /^[\w-]+$/,
      engine: /^(default|pcre2|auto)$/,
      when: /^(never|auto|always|ansi)$/,
      order: /^(none|path|modified|accessed|created)$/,
      size: /^\d+[KMG]?$/,
    },
    {
      runs: text('rg may not run other programs.', 'rg から他のプログラムは実行できません。'),
      leaves: text(
        'rg follows no links: they may lead outside.',
        'rg はリンクをたどりません (外に出る恐れがあるため)。',
      ),
      idle: text('This rg setting is not needed here.', 'rg のこの設定はここでは不要です。'),
    },
  ),
  plan({ options, operands, has }) {
    const needsPattern = !['--files', '--type-list', '-V', '--version', '-e', '-f'].some(has);
    const [pattern, ...rest] = operands;
    if (needsPattern && !pattern)
      throw new GuardViolation('PARSE_ERROR', 'rg needs a pattern.', 'rg にはパターンが必要です。', [
        'rg --files',
      ]);
    const given = [...passOptions(options), ...(needsPattern && pattern ? ['-e', pattern.text] : [])];
    return program('rg', ['--no-config', ...given, '--', ...paths(needsPattern ? rest : operands)], {
      answers: [0, 1],
      minor,
    });
  },
};
