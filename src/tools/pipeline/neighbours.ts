import { text } from '../../contract/text.ts';
import { asFd } from './commands/find.ts';
import { asRipgrep } from './commands/grep.ts';
import { GuardViolation, type Remedy } from './guard.ts';
import { quote, type Word } from './words.ts';

/** Where the refused command stands. */
export interface StagePosition {
  readonly index: number;
  readonly count: number;
  readonly extended: boolean;
}

/** A command that is not in the list, with the nearest one that is. */
export function refuseCommand(
  name: Word | undefined,
  words: readonly Word[],
  position: StagePosition,
): GuardViolation {
  const command = name?.text ?? '';
  return new GuardViolation(
    'DISALLOWED_CMD',
    text(`'${command}' is not allowed.`, `'${command}' は使えません。`),
    [...nearest(command, words, position), ...explained(command)],
  );
}

const known =
  /^(tail|rg|awk|sed|tr|jq|wc|tee|fd|ls|head|sort|ctree_check|ctree_generate|serena_find_symbol|pwd|cd|cat|grep|uniq|cut|nl|tac|paste|comm|join|diff|column|find)$/;
/** Commands that run another: what they run is what was meant. */
const wrappers =
  /^(time|sudo|command|builtin|exec|env|nice|nohup|timeout|stdbuf|setsid|ionice|doas|busybox|xargs|watch|then|do|!)$/;
const aliases = new Map([
  ['gawk', 'awk'],
  ['mawk', 'awk'],
  ['nawk', 'awk'],
  ['gsed', 'sed'],
  ['ripgrep', 'rg'],
  ['ag', 'rg'],
  ['ack', 'rg'],
  ['fdfind', 'fd'],
  ['dir', 'ls'],
  ['ll', 'ls -l'],
  ['la', 'ls -A'],
  ['gojq', 'jq'],
  ['chdir', 'cd'],
  ['gsort', 'sort'],
  ['gtail', 'tail'],
  ['ghead', 'head'],
]);

function nearest(command: string, words: readonly Word[], position: StagePosition): Remedy[] {
  const rest = words.map((word) => word.raw).join(' ');
  const spaced = rest === '' ? '' : ` ${rest}`;
  if (/^[A-Za-z_]\w*\+?=/.test(command)) return [{ pipeline: rest }];
  const alias = aliases.get(command);
  if (alias) return [{ pipeline: `${alias}${spaced}` }];
  if (wrappers.test(command)) return unwrapped(words);
  const bare = command
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/\.exe$/, '');
  if (bare !== command && (known.test(bare) || aliases.has(bare))) return [{ pipeline: `${bare}${spaced}` }];
  const remedy = teach(command, words, position);
  return remedy === undefined ? [] : [{ pipeline: remedy }];
}

/** `timeout 5 rg x` is `rg x`: skips the wrapper's own options and numbers. */
function unwrapped(words: readonly Word[]): Remedy[] {
  const start = words.findIndex(
    ({ text: word }) => known.test(word) || aliases.has(word) || /^(cat|grep|find)$/.test(word),
  );
  return start < 0
    ? []
    : [
        {
          pipeline: words
            .slice(start)
            .map((word) => word.raw)
            .join(' '),
        },
      ];
}

/** The allowed command that does the same work, or nearly. */
function teach(command: string, words: readonly Word[], { index, count }: StagePosition): string | undefined {
  const operands = words.filter((word) => !word.text.startsWith('-') || word.text === '-');
  const flags = words
    .filter((word) => word.text.startsWith('-') && word.text !== '-')
    .map((word) => word.text);
  const named = operands.map((word) => word.raw).join(' ');
  const after = named === '' ? '' : ` ${named}`;
  switch (command) {
    case 'cat':
    case 'bat':
    case 'less':
    case 'more':
      if (flags.some((flag) => /^-\w*[nb]/.test(flag))) return `awk '{printf "%6d\\t%s\\n", NR, $0}'${after}`;
      if (operands.length > 1) return `tail -q -n +1${after}`;
      return count === 1 || index > 0 ? `head -n 2000${after}` : `tail -n +1${after}`;
    case 'grep':
    case 'egrep':
    case 'fgrep':
      return asRipgrep(command, words);
    case 'find': {
      const remedy = asFd(words);
      return 'pipeline' in remedy ? remedy.pipeline : undefined;
    }
    case 'tree':
      return named === '' ? 'fd' : `fd .${after}`;
    case 'uniq':
      return uniq(flags, after);
    case 'cut':
      return cut(words);
    case 'nl':
      return `awk '{printf "%6d\\t%s\\n", NR, $0}'${after}`;
    case 'tac':
      return `awk '{line[NR] = $0} END {for (i = NR; i > 0; i--) print line[i]}'${after}`;
    case 'rev':
      return `awk '{s = ""; for (i = length($0); i > 0; i--) s = s substr($0, i, 1); print s}'${after}`;
    case 'paste':
      return `awk 'NR > 1 {printf "\\t"} {printf "%s", $0} END {print ""}'${after}`;
    case 'column':
      return `awk '{$1 = $1; print}' OFS='\\t'${after}`;
    case 'stat':
    case 'file':
    case 'du':
      return `ls -ld${after}`;
    case 'shuf':
      return `sort -R${after}`;
    case 'strings':
      return `rg -a -o '[[:print:]]{4,}'${after}`;
    case 'comm':
      return `sort${after}`;
    default:
      return undefined;
  }
}

function uniq(flags: readonly string[], after: string): string {
  const all = flags.join('');
  if (all.includes('c')) {
    return `awk 'NR > 1 && $0 != p {printf "%7d %s\\n", n, p; n = 0} {p = $0; n++} END {if (NR) printf "%7d %s\\n", n, p}'${after}`;
  }
  if (all.includes('d')) return `awk '$0 == p && !d {print; d = 1} $0 != p {d = 0} {p = $0}'${after}`;
  if (all.includes('u'))
    return `awk 'NR > 1 && $0 != p {if (n == 1) print p; n = 0} {p = $0; n++} END {if (n == 1) print p}'${after}`;
  return `awk 'NR == 1 || $0 != p {print} {p = $0}'${after}`;
}

function cut(words: readonly Word[]): string | undefined {
  const line = words.map((word) => word.text).join('\0');
  const fields = /(?:^|\0)(?:-f\0?|--fields=)([\d,]+)(?:\0|$)/.exec(line)?.[1];
  const delimiter = /(?:^|\0)(?:-d\0?|--delimiter=)([^\0])(?:\0|$)/.exec(line)?.[1] ?? '\t';
  const characters = /(?:^|\0)-c\0?(\d+)-(\d+)(?:\0|$)/.exec(line);
  const file = words.at(-1);
  const isFile =
    file &&
    words.length > 1 &&
    !file.text.startsWith('-') &&
    !/^[\d,-]+$/.test(file.text) &&
    file.text.length > 1;
  const after = isFile ? ` ${file.raw}` : '';
  if (characters) {
    const [from, to] = [Number(characters[1]), Number(characters[2])];
    return `awk '{print substr($0, ${from}, ${to - from + 1})}'${after}`;
  }
  if (!fields) return undefined;
  const separator =
    delimiter === '\t' ? "'\\t'" : quote(delimiter === ' ' ? '[ ]' : delimiter === '|' ? '[|]' : delimiter);
  const printed = fields
    .split(',')
    .map((field) => `$${field}`)
    .join(', ');
  const joined = fields.includes(',') ? ` -v OFS=${delimiter === '\t' ? "'\\t'" : quote(delimiter)}` : '';
  return `awk -F${separator}${joined} '{print ${printed}}'${after}`;
}

const writers =
  /^(rm|mv|cp|touch|mkdir|rmdir|ln|chmod|chown|dd|truncate|install|rsync|echo|printf|vim?|nano|emacs|ed|patch|unlink|shred|split|csplit|yes)$/;
const interpreters =
  /^(python3?|node|deno|bun|perl|ruby|php|lua|sh|bash|zsh|dash|fish|ksh|eval|source|\.|make|npm|npx|git|cargo|go|java|docker|kubectl|systemctl)$/;
const networked = /^(curl|wget|nc|ncat|ssh|scp|telnet|ping|ftp|socat)$/;

/** Is it a command that people know, here or elsewhere? */
export function isCommandName(word: string): boolean {
  return (
    [known, wrappers, writers, interpreters, networked].some((names) => names.test(word)) || aliases.has(word)
  );
}

function explained(command: string): Remedy[] {
  if (writers.test(command)) {
    return [
      {
        words: text(
          'Use tee to write files instead, or shelpa_write for text of your own.',
          'ファイルへの書き込みは tee、自分の文章は shelpa_write を使ってください。',
        ),
      },
    ];
  }
  if (interpreters.test(command)) {
    return [
      {
        words: text(
          'A pipeline only reads and filters text: use awk, sed or jq, or a tool that runs commands.',
          'パイプラインは読み取りと加工だけです。awk・sed・jq を使うか、コマンドを実行するツールを使ってください。',
        ),
      },
    ];
  }
  if (networked.test(command)) {
    return [{ words: text('A pipeline has no network.', 'パイプラインからネットワークは使えません。') }];
  }
  return [
    {
      words: text(
        'Use one of: tail rg awk sed tr jq wc tee fd ls head sort ctree_check ctree_generate serena_find_symbol, or pwd, cd alone.',
        '使えるコマンド: tail rg awk sed tr jq wc tee fd ls head sort ctree_check ctree_generate serena_find_symbol、単独なら pwd と cd',
      ),
    },
  ];
}
