import type { Steering } from '../../contract/capabilities/judgement.ts';
import type { Risk } from '../../contract/policy.ts';
import { superuserPrograms } from '../../contract/superuser.ts';
import type { Tool } from '../../contract/tool/tool.ts';
import { reachOfYes } from './alike.ts';
import type { Argv, CommandPattern } from './command.ts';

/** Programs whose arguments are a command, or files and tasks in any order: no part stands for the rest. */
const whole: ReadonlySet<string> = new Set([
  ...superuserPrograms,
  ...[
    'rsync',
    'scp',
    'mvn',
    'mvnw',
    'gradle',
    'gradlew',
    'sbt',
    'gcloud',
    'ansible',
    'ansible-playbook',
    'salt',
    'pssh',
    'dsh',
    'fab',
  ],
]);
/** Programs whose second word is an object and whose third is the action: `gh pr create`. */
const byThing = new Set(['gh', 'glab', 'aws', 'az', 'fly', 'flyctl']);
/** Programs whose first argument is no subcommand but a number, a pattern or a file. */
const alone = new Set([
  'kill',
  'pkill',
  'killall',
  'skill',
  'fuser',
  'taskkill',
  'crontab',
  'at',
  'batch',
  'dpkg',
  'rpm',
]);

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
