import type { CommandPattern } from './command.ts';
import { surelyFitsCommand } from './command.ts';

/** The extent of an approval of a command: this pattern, or only its exact words. */
export type Reach = { readonly pattern: CommandPattern } | 'itself';

/**
 * The extent of an approval for one of these commands, if they are known well enough: commands that do the same share
 * one; a command with a place, an address or a deletion is covered only by its own words. Undefined for others.
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

/** Forge commands for the same readers: each result can be closed or edited, and none merges or releases. */
const same: readonly CommandPattern[] = [
  ['gh', ['issue', 'pr'], ['comment', 'create', 'new']],
  ['glab', ['issue', 'mr'], ['create', 'new', 'note']],
];

/** Words that lead a forge command to another repository or host, or that make it act unlike the others. */
const forges: readonly (readonly [string, readonly RegExp[]])[] = [
  [
    'gh',
    [
      /^-[A-Za-z]*R|^--(repo|hostname)\b/,
      /^https?:\/\/\S+$/,
      /^--delete|^(-X|--method)=?delete$|^delete$/i,
      // A review may approve.
      /^review$/,
    ],
  ],
  [
    'glab',
    [/^-[A-Za-z]*R|^--(repo|hostname|host)\b/, /^https?:\/\/\S+$/, /^(-X|--method)=?delete$|^delete$/i],
  ],
];

const fromRegistry = /^(@[\w.-]+\/)?\w[\w.-]*(\[[\w,-]*\])?((@|[<>=!~^]=?)[\w.*,<>=!~^-]*)?$/;
/** Package arguments of these are paths. */
const byPath = /^\w[\w./-]*(@[\w.-]+)?$/;

/** Commands that install packages by name. */
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

/** Installer options without a value that do not affect where a package comes from or goes to. */
const plainOption =
  /^(-[DESOPUqvyud]+|--(save(-dev|-exact|-optional|-peer|-prod)?|no-save|dev|optional|peer|exact|upgrade|quiet|silent|verbose|user|pre|yes|no-audit|no-fund|no-cache-dir|no-deps|disable-pip-version-check|break-system-packages))$/;

/** Approving a push covers neither a forced push nor another remote. */
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
/** The next word is the option's value, not a remote. */
const takesNext = /^-[^-]*o$|^--pus[^=]*$/;

function ofGit([, subcommand]: readonly string[]): Reach | undefined {
  return subcommand === 'remote' || subcommand === 'config' ? 'itself' : undefined;
}
