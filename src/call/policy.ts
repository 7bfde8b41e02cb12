import type { Caller } from '../contract/caller.ts';
import type { Mode, PolicyRule, PolicyVerdict, Risk } from '../contract/policy.ts';
import type { CommandJudge } from '../contract/process.ts';
import { text } from '../contract/text.ts';
import type { Tool } from '../contract/tool.ts';
import type { Policy } from './approve.ts';

export interface PolicyOptions {
  readonly mode: Mode;
  readonly rules: readonly PolicyRule[];
  readonly judge: CommandJudge;
  readonly roots: readonly string[];
}

/** Answers allow, ask or deny for a call: the built-in judgement of commands. */
export function createPolicy(options: PolicyOptions): Policy {
  return {
    decide(_tool: Tool, _caller: Caller, risk: Risk): PolicyVerdict {
      if (!risk.command) return { decision: 'allow', rule: 'default', because: text('Allowed.', '許可されています。') };
      return options.judge.judge(risk.command.line, {
        dialect: risk.command.dialect,
        roots: options.roots,
        workingFolder: risk.workingFolder ?? '.',
      });
    },
    grantOf: (tool, risk) => `${tool.name} ${JSON.stringify(risk.command?.line ?? {})}`,
  };
}
