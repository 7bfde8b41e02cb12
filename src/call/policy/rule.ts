import { type Caller, isAgent } from '../../contract/caller.ts';
import type { CommandJudge } from '../../contract/capabilities/judgement.ts';
import { ConfigError } from '../../contract/error.ts';
import type { PolicyDecision, PolicyRule, Risk } from '../../contract/policy.ts';
import type { Tool } from '../../contract/tool/tool.ts';
import type { Annotations } from '../../contract/tool/tool-card.ts';
import { createGlob, createHostGlob, createPathGlob } from '../../ground/glob/rule-glob.ts';
import { type Argv, mayFitCommand, surelyFitsCommand } from './command.ts';

/** A rule of the operator, ready to use. */
export interface ReadyRule {
  readonly id: string;
  readonly rule: PolicyRule;
  readonly decision: PolicyDecision;
  /** A deny or ask rule fits if any part of the call does; an allow rule only if all of it does. */
  fits(tool: Tool, caller: Caller, risk: Risk, commands: readonly Argv[]): boolean;
  /** Whether the rule can apply to this tool at all. */
  concerns(tool: Tool): boolean;
}

const annotationNames: readonly (keyof Annotations)[] = [
  'readOnly',
  'destructive',
  'idempotent',
  'openWorld',
];

/** Compiles a rule and tries it on its own examples. Throws a `ConfigError` naming the rule. */
export function readRule(rule: PolicyRule, place: number, judge: CommandJudge): ReadyRule {
  const id = rule.id ?? `rules[${place}]`;
  return naming(id, () => {
    const ready = { id, rule, decision: rule.decision, ...selectors(rule) };
    tryExamples(rule, ready.fitsExample, judge);
    return ready;
  });
}

/** Has a `ConfigError` of the work name the rule. */
export function naming<T>(id: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof ConfigError)
      throw new ConfigError(`${id}: ${cause.text.en}`, `${id}: ${cause.text.ja}`, { cause });
    throw cause;
  }
}

function selectors(rule: PolicyRule) {
  const sure = rule.decision === 'allow';
  const tool = rule.tool === undefined ? undefined : toolSelector(rule.tool);
  const path = rule.path === undefined ? undefined : createPathGlob(rule.path);
  const host = rule.host === undefined ? undefined : createHostGlob(rule.host);
  const command = rule.command;
  if (command && (command.length === 0 || command.some((part) => part.length === 0)))
    throw new ConfigError(
      'command must name a program, got an empty list',
      'command にはプログラムを指定してください（空の一覧です）。',
    );
  for (const name of Object.keys(rule.annotations ?? {})) {
    if (!annotationNames.some((known) => known === name))
      throw new ConfigError(
        `annotations has no ${JSON.stringify(name)}; there are ${annotationNames.join(', ')}`,
        `annotations に ${JSON.stringify(name)} はありません。使えるもの: ${annotationNames.join('、')}`,
      );
  }
  const some = <T>(items: readonly T[], fits: (item: T) => boolean): boolean =>
    sure ? items.length > 0 && items.every(fits) : items.some(fits);
  const fitsArgv = (argv: Argv): boolean =>
    command !== undefined && (sure ? surelyFitsCommand(command, argv) : mayFitCommand(command, argv));

  return {
    fits(called: Tool, caller: Caller, risk: Risk, commands: readonly Argv[]): boolean {
      if (tool && !tool(called)) return false;
      if (!fitsCaller(rule, caller) || !fitsAnnotations(rule, called)) return false;
      if (path && !some([...(risk.reads ?? []), ...(risk.writes ?? [])], path)) return false;
      if (host && !some(risk.hosts ?? [], host)) return false;
      return !command || some(commands, fitsArgv);
    },
    concerns: (called: Tool): boolean => (!tool || tool(called)) && fitsAnnotations(rule, called),
    /** Examples are command lines, else paths, else hosts, else names of tools. */
    fitsExample(example: string, commands: () => readonly Argv[]): boolean {
      if (command) return commands().some(fitsArgv);
      if (path) return path(example);
      if (host) return host(example);
      return rule.tool === undefined || createGlob(rule.tool)(example);
    },
  };
}

/** Compiles a rule's `tool`: a pattern of names, or the one name for every tool that runs commands. */
export function toolSelector(pattern: string): (tool: Pick<Tool, 'name' | 'uses' | 'risk'>) => boolean {
  if (pattern === everyCommandTool) return runsCommands;
  const fits = createGlob(pattern);
  return (tool) => fits(tool.name);
}

/** The one name for every tool that runs commands. */
export const everyCommandTool = 'commands';

export function runsCommands({ uses, risk }: Pick<Tool, 'uses' | 'risk'>): boolean {
  return risk !== undefined && uses.includes('commands');
}

function fitsCaller(rule: PolicyRule, caller: Caller): boolean {
  if (rule.role !== undefined && rule.role !== caller.role && rule.role !== caller.kind) return false;
  if (rule.user !== undefined && rule.user !== caller.principal && `user:${rule.user}` !== caller.principal)
    return false;
  return rule.purpose === undefined || (isAgent(caller) && caller.session.purpose === rule.purpose);
}

function fitsAnnotations(rule: PolicyRule, tool: Tool): boolean {
  return annotationNames.every((name) => {
    const wanted = rule.annotations?.[name];
    return wanted === undefined || tool.annotations[name] === wanted;
  });
}

function tryExamples(
  rule: PolicyRule,
  fits: (example: string, commands: () => readonly Argv[]) => boolean,
  judge: CommandJudge,
): void {
  const read = (script: string) => (): readonly Argv[] =>
    judge.judge(
      { kind: 'script', script, shell: 'bash' },
      { dialect: 'plain', roots: ['/workspace'], workingFolder: '/workspace' },
    ).commands ?? [];
  for (const example of rule.match ?? []) {
    if (!fits(example, read(example)))
      throw new ConfigError(
        `must match ${JSON.stringify(example)}, but does not`,
        `${JSON.stringify(example)} に当てはまるはずですが、当てはまりません。`,
      );
  }
  for (const example of rule.notMatch ?? []) {
    if (fits(example, read(example)))
      throw new ConfigError(
        `must not match ${JSON.stringify(example)}, but does`,
        `${JSON.stringify(example)} に当てはまらないはずですが、当てはまります。`,
      );
  }
}
