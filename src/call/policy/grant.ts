import type { Steering } from '../../contract/capabilities/judgement.ts';
import type { Risk } from '../../contract/policy.ts';
import { superuserPrograms } from '../../contract/superuser.ts';
import type { Tool } from '../../contract/tool/tool.ts';
import { type Argv, type CommandPattern, surelyFitsCommand } from './command.ts';

/** Programs whose arguments are a command, or files and tasks in any order: no part stands for the rest. */
const whole = new Set([
  ...superuserPrograms,
  ...'rsync scp mvn mvnw gradle gradlew sbt gcloud ansible ansible-playbook salt pssh dsh fab'.split(' '),
]);
/** Programs whose second word is an object and whose third is the action: `gh pr create`. */
const byThing = new Set(['gh', 'glab', 'aws', 'az', 'fly', 'flyctl']);
/** Programs whose first argument is no subcommand but a number, a pattern or a file. */
const alone = new Set('kill pkill killall skill fuser taskkill crontab at batch dpkg rpm'.split(' '));

/**
 * The rule of a standing approval, as the person reads it: the program and its subcommand for every command that was
 * asked about, or the whole line if that says too little. Two calls share a grant only if the same text covers both; a
 * grant of several rules is covered by an approval of each.
 */
export function grantText(
  tool: Tool,
  risk: Risk,
  asked: readonly Argv[],
  {
    toolAsks,
    steeredBy = [],
  }: { readonly toolAsks: boolean; readonly steeredBy?: readonly Steering[] | undefined },
): string {
  const patterns = asked.map(patternOf);
  const line = risk.command?.line;
  const rules: Record<string, unknown>[] = [];
  const isOpen = patterns.includes(undefined) || steeredBy.some(({ values }) => values === undefined);
  if (line && (isOpen || patterns.length === 0 || toolAsks)) {
    rules.push({
      command: line.kind === 'script' ? [line.shell, '-c', line.script] : [line.program, ...line.args],
    });
  } else {
    for (const pattern of patterns) rules.push({ command: pattern });
  }
  // The approval covers the command only with these values of the variables that steer it.
  for (const { name, values } of steeredBy) {
    for (const value of values ?? []) rules.push({ variable: `${name}=${value}` });
  }
  if (toolAsks && !line) {
    for (const path of [...(risk.reads ?? []), ...(risk.writes ?? [])]) rules.push({ path });
    if (!risk.secret) for (const host of risk.hosts ?? []) rules.push({ host });
  }
  // Approving a tool, or a host, does not approve sending it a secret.
  if (risk.secret) rules.push({ ...(risk.hosts && { hosts: risk.hosts }), secret: risk.secret.argument });
  // The same holds for anything else that the call reaches.
  if (risk.reach) rules.push({ reach: risk.reach.en });
  for (const passed of risk.passes ?? []) rules.push({ passes: passed });
  if (rules.length === 0) rules.push({});
  const definition = tool.identity === undefined ? {} : { definition: tool.identity };
  const texts = rules.map((rule) =>
    JSON.stringify({ tool: tool.name, ...definition, ...rule, decision: 'allow' }),
  );
  return [...new Set(texts)].sort().join(' ');
}

function patternOf(argv: Argv): CommandPattern | undefined {
  const words = argv.filter((word) => word !== null);
  const [program, subcommand] = words;
  if (program === undefined || words.length !== argv.length) return undefined;
  const reach = reachOfYes(words);
  if (reach) return reach === 'itself' ? words : reach.pattern;
  if (whole.has(program) || program.includes('/')) return words;
  if (alone.has(program)) return [program];
  if (subcommand === undefined || subcommand.startsWith('-')) return words;
  if (!byThing.has(program) || subcommand === 'api') return [program, subcommand];
  const [, , verb] = words;
  return verb === undefined || verb.startsWith('-') ? words : [program, subcommand, verb];
}

/** The extent of an approval of a command: this pattern, or only its exact words. */
type Reach = { readonly pattern: CommandPattern } | 'itself';

/**
 * The extent of an approval for one of these commands, if they are known well enough: commands that do the same share
 * one; a command with a place, an address or a deletion is covered only by its own words. Undefined for others.
 */
function reachOfYes(words: readonly string[]): Reach | undefined {
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
