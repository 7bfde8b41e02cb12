import { posix } from 'node:path';
import type { Caller } from '../../contract/caller.ts';
import type { Mode, PolicyRule, PolicyVerdict, Risk } from '../../contract/policy.ts';
import type { CommandJudge, DecisionKind, Judgement } from '../../contract/process.ts';
import { text, verbatim } from '../../contract/text.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Policy } from '../approve.ts';
import { type Argv, mayFitCommand } from './command.ts';
import { grantText } from './grant.ts';
import { modes } from './modes.ts';
import { type ReadyRule, readRule } from './rule.ts';

export interface PolicyOptions {
  readonly mode: Mode;
  readonly rules: readonly PolicyRule[];
  readonly judge: CommandJudge;
  /** Host paths of the roots; relative working folders are taken from the first. */
  readonly roots: readonly string[];
}

const strictness: Record<DecisionKind, number> = { allow: 0, ask: 1, deny: 2 };

/**
 * Answers allow, ask or deny for a call: the strictest of the mode, the built-in judgement and the operator's rules.
 * An allow rule of the operator does one thing: it answers what the built-in rules would ask, never what they deny
 * and never another rule of the operator. Throws a `ConfigError` for a rule that fails its own examples.
 */
export function createPolicy(options: PolicyOptions): Policy {
  const mode = modes[options.mode];
  const rules = options.rules.map((rule, place) => readRule(rule, place, options.judge));
  const allowing = rules.filter((rule) => rule.decision === 'allow');
  const refusing = rules.filter((rule) => rule.decision !== 'allow');

  function judge(risk: Risk): Judgement | undefined {
    if (!risk.command) return undefined;
    return options.judge.judge(risk.command.line, {
      dialect: risk.command.dialect,
      roots: options.roots,
      workingFolder: posix.resolve(options.roots[0] ?? '/', risk.workingFolder ?? '.'),
    });
  }

  return {
    decide(tool: Tool, caller: Caller, risk: Risk): PolicyVerdict {
      const judgement = judge(risk);
      const asks = (rule: ReadyRule, commands: readonly Argv[]) => rule.fits(tool, caller, risk, commands);
      const isAnswered = (commands: readonly Argv[]): boolean =>
        !mode.asks ||
        commands.every((argv) => allowing.some((rule) => rule.rule.command && asks(rule, [argv])));

      const verdicts: PolicyVerdict[] = [nothingAgainst];
      for (const { id, decision, because, suggestion, fits } of mode.rules) {
        if (fits(tool, risk)) verdicts.push({ decision, rule: id, because, suggestion });
      }
      for (const rule of refusing) {
        if (asks(rule, judgement?.commands ?? [])) verdicts.push(verdictOf(rule));
      }
      if (judgement && !(judgement.decision === 'ask' && isAnswered(judgement.asked ?? [[null]]))) {
        verdicts.push(shownWithPlace(judgement));
      }
      const toolMayGo = !mode.asks || allowing.some((rule) => !rule.rule.command && asks(rule, []));
      if (risk.ask && !toolMayGo) verdicts.push({ decision: 'ask', rule: 'tool-asks', because: risk.ask });
      return verdicts.reduce((strictest, verdict) =>
        strictness[verdict.decision] > strictness[strictest.decision] ? verdict : strictest,
      );
    },
    grantOf(tool: Tool, risk: Risk): string {
      const judgement = judge(risk);
      const asked = (judgement?.commands ?? []).filter((argv) =>
        refusing.some(({ rule }) => rule.command && mayFitCommand(rule.command, argv)),
      );
      const byTool =
        risk.ask !== undefined ||
        refusing.some((rule) => rule.decision === 'ask' && !rule.rule.command && rule.concerns(tool));
      return grantText(tool, risk, [...(judgement?.asked ?? []), ...asked], byTool);
    },
  };
}

const nothingAgainst: PolicyVerdict = {
  decision: 'allow',
  rule: 'default',
  because: text('no rule speaks against it', '該当する規則がありません'),
};

function verdictOf({ id, rule }: ReadyRule): PolicyVerdict {
  return { decision: rule.decision, rule: id, because: verbatim(rule.because) };
}

/** Says where in the command it is: the reader has to mend that place. */
function shownWithPlace({ decision, rule, because, suggestion, excerpt }: Judgement): PolicyVerdict {
  const place = excerpt === undefined ? '' : `\`${excerpt}\`: `;
  return { decision, rule, because: text(`${place}${because.en}.`, `${place}${because.ja}。`), suggestion };
}
