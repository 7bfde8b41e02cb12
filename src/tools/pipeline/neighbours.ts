import { furtherPipelineCommands, pipelineCommands } from '../../contract/pipeline-commands.ts';
import { text } from '../../contract/text/text.ts';
import { asFd } from './commands/find.ts';
import { asRipgrep } from './commands/grep.ts';
import { GuardViolation, type Remedy } from './guard.ts';
import { column, comm, cut, nl, paste, uniq } from './lessons/columns.ts';
import { inFd, nameSearchOf } from './lessons/names.ts';
import { echo, printf, seq } from './lessons/own-text.ts';
import { explained } from './lessons/reasons.ts';
import { cat, cp, list, rev, tac, tree } from './lessons/whole-files.ts';
import { rawOf, type Word } from './words.ts';

/** The position of the refused command. */
export interface StagePosition {
  readonly index: number;
  readonly count: number;
  readonly extended: boolean;
}

/** Refuses an unlisted command with the nearest listed one. */
export function refuseCommand(
  name: Word | undefined,
  words: readonly Word[],
  position: StagePosition,
): GuardViolation {
  const command = name?.text ?? '';
  return new GuardViolation('DISALLOWED_CMD', detailOf(command), [
    ...nearest(command, words, position),
    ...explained(command),
  ]);
}

function detailOf(command: string) {
  if (command === 'xargs')
    return text(
      "'xargs' is not allowed: names are not turned into arguments. See the names first, then name the files: wc -l src/*.py.",
      "'xargs' は使えません。先に名前を確かめ、次にファイルを指定してください: wc -l src/*.py",
    );
  return command === 'find' || command === 'grep'
    ? text(
        `'${command}' is not allowed. ${command === 'find' ? 'fd' : 'rg'} leaves out hidden files and what .gitignore names, unless -u says otherwise.`,
        `'${command}' は使えません。${command === 'find' ? 'fd' : 'rg'} は隠しファイルと .gitignore の対象を除きます (-u で含めます)。`,
      )
    : text(`'${command}' is not allowed.`, `'${command}' は使えません。`);
}

const known = new Set(`${pipelineCommands} ${furtherPipelineCommands} pwd cd`.split(' '));
/** Commands that run another; the inner command is the intended one. */
const wrappers =
  /^(time|sudo|command|builtin|exec|env|nice|nohup|timeout|stdbuf|setsid|ionice|doas|busybox|watch|!)$/;
const aliases = new Map(
  Object.entries({
    awk: 'gawk mawk nawk',
    sed: 'gsed',
    rg: 'ripgrep ag ack',
    fd: 'fdfind',
    ls: 'dir',
    'ls -l': 'll',
    'ls -A': 'la',
    jq: 'gojq',
    cd: 'chdir',
    sort: 'gsort',
    tail: 'gtail',
    head: 'ghead',
  }).flatMap(([command, names]) => names.split(' ').map((name) => [name, command] as const)),
);

function nearest(command: string, words: readonly Word[], position: StagePosition): Remedy[] {
  const rest = rawOf(words);
  const spaced = rest === '' ? '' : ` ${rest}`;
  if (/^[A-Za-z_]\w*\+?=/.test(command)) return rest === '' ? [] : [rest];
  const alias = aliases.get(command);
  if (alias) return [`${alias}${spaced}`];
  if (wrappers.test(command)) return unwrapped(words);
  const bare = command
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/\.exe$/, '');
  if (bare !== command && (known.has(bare) || aliases.has(bare))) return [`${bare}${spaced}`];
  const remedy = teach(command, words, position);
  return remedy === undefined ? [] : [remedy];
}

/** `timeout 5 rg x` is `rg x`: skips the wrapper's own options and numbers. */
function unwrapped(words: readonly Word[]): Remedy[] {
  const start = words.findIndex(({ text: word }) => isCommandName(word));
  return start < 0 ? [] : [rawOf(words.slice(start))];
}

/** The equivalent pipeline; undefined if there is none, or only for a part. */
function teach(command: string, words: readonly Word[], position: StagePosition): string | undefined {
  switch (command) {
    case 'cat':
    case 'bat':
    case 'less':
    case 'more':
      return cat(words, position);
    case 'grep':
    case 'egrep':
    case 'fgrep':
      return asRipgrep(command, words);
    case 'git': {
      const [verb, ...rest] = words;
      if (verb?.text === 'grep') return asRipgrep('grep', rest);
      const search = nameSearchOf('git', words);
      return search && inFd({ ...search, onlyFd: ['-t', 'f'] });
    }
    case 'sh':
    case 'bash':
    case 'zsh':
    case 'eval': {
      const [flag, line] = command === 'eval' ? [undefined, words[0]] : words;
      return command === 'eval' || /^-[el]*c$/.test(flag?.text ?? '') ? line?.text : undefined;
    }
    default:
      return (rewrites.get(command) ?? (position.index === 0 ? atStart.get(command) : undefined))?.(words);
  }
}

type Rewrite = (words: readonly Word[]) => string | undefined;

/** Commands with an equivalent wherever they stand. */
const rewrites = new Map<string, Rewrite>(
  Object.entries({ find: asFd, uniq, cut, nl, paste, column, comm, tac, rev, tree, stat: list, cp }),
);
/** These ignore their input. */
const atStart = new Map<string, Rewrite>(Object.entries({ echo, printf, seq }));

const others =
  /^(rm|mv|cp|touch|mkdir|echo|printf|seq|xargs|sh|bash|git|python3?|node|perl|cat|grep|find|egrep|fgrep|less|more|bat|tree|stat|diff|true|false|test)$/;

/** Whether it is a known command, here or elsewhere. */
export function isCommandName(word: string): boolean {
  return known.has(word) || wrappers.test(word) || others.test(word) || aliases.has(word);
}
