import type { CommandPattern } from './command.ts';
import { surelyFitsCommand } from './command.ts';

/** How far a yes to a command reaches: to this pattern, or no further than its own words. */
export type Reach = { readonly pattern: CommandPattern } | 'itself';

/**
 * How far a yes to one of these commands reaches, where they are known well enough: commands that do the same share
 * one, and what brings a place, an address or a deletion along is covered by none but its own. Undefined for others.
 */
export function reachOfYes(words: readonly string[]): Reach | undefined {
  if (words[0] === 'git') return words[1] === 'push' ? pushes(words) : ofGit(words);
  const forge = forges.find(([program]) => program === words[0]);
  if (forge?.[1].some((word) => words.some((given, at) => at > 0 && word.test(given)))) return 'itself';
  const pattern = same.find((pattern) => surelyFitsCommand(pattern, words));
  if (pattern) return { pattern };
  const install = installs.find(({ pattern }) => surelyFitsCommand(pattern, words));
  if (!install) return undefined;
  const rest = words.slice(install.pattern.length);
  const isPlain = rest.every((word) => plainOption.test(word) || install.names.test(word));
  return isPlain ? { pattern: install.pattern } : 'itself';
}

/**
 * Those of a forge that put words before the same people: each can be closed or edited, and none merges or releases.
 */
const same: readonly CommandPattern[] = [
  ['gh', ['issue', 'pr'], ['comment', 'create', 'new']],
  ['glab', ['issue', 'mr'], ['create', 'new', 'note']],
];

/** What leads a command of a forge to another repository or host than the folder's, or does what its like does not. */
const forges: readonly (readonly [string, readonly RegExp[]])[] = [
  [
    'gh',
    [
      /^-[A-Za-z]*R|^--(repo|hostname)\b/,
      /^https?:\/\/\S+$/,
      /^--delete|^(-X|--method)=?delete$|^delete$/i,
      // It may approve.
      /^review$/,
    ],
  ],
  [
    'glab',
    [/^-[A-Za-z]*R|^--(repo|hostname|host)\b/, /^https?:\/\/\S+$/, /^(-X|--method)=?delete$|^delete$/i],
  ],
];

const fromRegistry = /^(@[\w.-]+\/)?\w[\w.-]*(\[[\w,-]*\])?((@|[<>=!~^]=?)[\w.*,<>=!~^-]*)?$/;
/** Their packages are called by paths. */
const byPath = /^\w[\w./-]*(@[\w.-]+)?$/;

/** What installs packages by their names. */
const installs: readonly { readonly pattern: CommandPattern; readonly names: RegExp }[] = [
  ...[
    ['npm', ['add', 'i', 'install']],
    ['pnpm', ['add', 'i', 'install']],
    ['bun', ['a', 'add', 'i', 'install']],
    ['yarn', 'add'],
    [['pip', 'pip3'], 'install'],
    [['python', 'python3'], '-m', 'pip', 'install'],
    ['uv', 'pip', 'install'],
    ['uv', 'add'],
    ['poetry', 'add'],
    ['pdm', 'add'],
    ['pipenv', 'install'],
    ['pipx', 'install'],
    ['cargo', 'add'],
    ['cargo', 'install'],
    ['gem', 'install'],
    ['bundle', 'add'],
  ].map((pattern) => ({ pattern, names: fromRegistry })),
  ...[
    ['go', ['get', 'install']],
    ['composer', ['req', 'require']],
  ].map((pattern) => ({ pattern, names: byPath })),
];

/** Options of installers with no value that say nothing of where a package comes from or goes to. */
const plainOption =
  /^(-[DESOPUqvyud]+|--(save(-dev|-exact|-optional|-peer|-prod)?|no-save|dev|optional|peer|exact|upgrade|quiet|silent|verbose|user|pre|yes|no-audit|no-fund|no-cache-dir|no-deps|disable-pip-version-check|break-system-packages))$/;

/** A yes to pushing is none to overwriting what is over there, and a yes to one place none to another. */
function pushes([, , ...words]: readonly string[]): Reach {
  if (words.some((word) => overwrites.test(word) || takesNext.test(word))) return 'itself';
  const target = words.find((word) => !word.startsWith('-'));
  const isElsewhere = (word: string) => /^--(repo|rec|exec)|:\/\/|^[^/:]+@[^/:]+:/.test(word);
  if (/[:/\\]/.test(target ?? '') || words.some(isElsewhere)) return 'itself';
  // Commands may add remotes, but not change the one that a clone comes with.
  return { pattern: ['git', 'push', ...(target === undefined || target === 'origin' ? [] : [target])] };
}

/** `--force` and its kin, `--mirror`, `--delete` and `--prune`, as git takes them abbreviated; `+main` and `:main`. */
const overwrites = /^--(fo($|[^l])|m|de|pru)|^-[^-]*[fd]|^[+:]/;
/** The word after it is no remote. */
const takesNext = /^-[^-]*o$|^--pus[^=]*$/;

function ofGit([, subcommand]: readonly string[]): Reach | undefined {
  return subcommand === 'remote' || subcommand === 'config' ? 'itself' : undefined;
}
