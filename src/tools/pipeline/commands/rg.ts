import { text } from '../../../contract/text/text.ts';
import { type Grammar, passOptions, paths, program, unreadable } from '../grammar.ts';
import { GuardViolation } from '../guard.ts';
import { type OptionRow, type Refusal, rowsOf } from '../options.ts';

const runsPrograms: Refusal = {
  reason: 'DISALLOWED_FLAG',
  because: text('rg may not run other programs.', 'rg から他のプログラムは実行できません。'),
};
const leaves: Refusal = {
  reason: 'DISALLOWED_FLAG',
  because: text(
    'rg follows no links: they may lead outside.',
    'rg はリンクをたどりません (外に出る恐れがあるため)。',
  ),
};

const rows: OptionRow[] = [
  ...rowsOf(`
    -i|--ignore-case -s|--case-sensitive -S|--smart-case -v|--invert-match -w|--word-regexp
    -x|--line-regexp -F|--fixed-strings -P|--pcre2 -n|--line-number -N|--no-line-number
    -H|--with-filename -I|--no-filename -c|--count --count-matches -l|--files-with-matches
    --files-without-match -o|--only-matching -q|--quiet -U|--multiline --multiline-dotall
    -0|--null -a|--text --binary -.|--hidden --no-hidden --no-ignore --no-ignore-vcs
    --no-ignore-parent --no-ignore-dot --no-ignore-files --no-ignore-global --no-ignore-exclude
    --no-ignore-messages --no-require-git --no-mmap -u|--unrestricted --files --heading
    --no-heading -b|--byte-offset --column --no-column --vimgrep --json --stats --trim --crlf
    --null-data -p|--pretty --passthru --no-messages --no-config --include-zero
    --glob-case-insensitive --no-unicode --type-list -V --version --one-file-system
    --line-buffered --block-buffered --no-context-separator --max-columns-preview
    --stop-on-nonmatch
  `),
  ...rowsOf(
    `
    -A|--after-context -B|--before-context -C|--context -m|--max-count -d|--max-depth|--maxdepth
  `,
    { value: 'number' },
  ),
  { flags: ['-j', '--threads'], value: 'number', form: /^[1-8]$/ },
  { flags: ['-M', '--max-columns'], value: 'number' },
  { flags: ['-e', '--regexp'], value: 'text' },
  ...rowsOf('-f|--file --ignore-file', { value: 'file' }),
  ...rowsOf('-g|--glob --iglob', { value: 'text' }),
  ...rowsOf('-t|--type -T|--type-not', { value: 'text', form: /^[\w-]+$/ }),
  ...rowsOf('--type-add -r|--replace', { value: 'text' }),
  { flags: ['-E', '--encoding'], value: 'text', form: /^[\w-]+$/ },
  { flags: ['--engine'], value: 'text', form: /^(default|pcre2|auto)$/ },
  { flags: ['--color'], value: 'text', form: /^(never|auto|always|ansi)$/ },
  ...rowsOf('--sort --sortr', { value: 'text', form: /^(none|path|modified|accessed|created)$/ }),
  { flags: ['--max-filesize'], value: 'text', form: /^\d+[KMG]?$/ },
  ...rowsOf(
    `
    --context-separator --field-match-separator --field-context-separator --path-separator
  `,
    { value: 'text' },
  ),
  { flags: ['--pre', '--pre-glob', '--hostname-bin'], value: 'text', refused: runsPrograms },
  {
    flags: [
      '--colors',
      '--hyperlink-format',
      '--regex-size-limit',
      '--dfa-size-limit',
      '--generate',
      '--type-clear',
    ],
    value: 'text',
    refused: {
      reason: 'DISALLOWED_FLAG',
      because: text('This rg setting is not needed here.', 'rg のこの設定はここでは不要です。'),
    },
  },
  { flags: ['-z', '--search-zip'], refused: runsPrograms },
  { flags: ['-L', '--follow'], refused: leaves },
];

/** No files to search means no matches, which is no error. */
const minor = new RegExp(`^rg: No files were searched|^Running with --debug|${unreadable.source}`);

/** `rg -n PATTERN PATH…`. Without a path the first stage searches the working folder, a later one its input. */
export const rg: Grammar = {
  command: 'rg',
  rows,
  plan({ options, operands }) {
    const flags = new Set(options.map(({ row }) => row.flags[0]));
    const listing =
      flags.has('--files') || flags.has('--type-list') || flags.has('-V') || flags.has('--version');
    const needsPattern = !listing && !flags.has('-e') && !flags.has('-f');
    const [pattern, ...rest] = operands;
    if (needsPattern && !pattern) {
      throw new GuardViolation('PARSE_ERROR', text('rg needs a pattern.', 'rg にはパターンが必要です。'), [
        { pipeline: 'rg --files' },
      ]);
    }
    const searched = needsPattern ? rest : operands;
    const given = [...passOptions(options), ...(needsPattern && pattern ? ['-e', pattern.text] : [])];
    return program('rg', ['--no-config', ...given, '--', ...paths(searched)], { answers: [0, 1], minor });
  },
};
