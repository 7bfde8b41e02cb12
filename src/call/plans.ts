import { randomUUID } from 'node:crypto';
import type { Caller } from '../contract/caller.ts';
import type { AllowedPlan, PlanCall, PlanNeed, PlanStep, Plans } from '../contract/capabilities/plans.ts';
import { ToolError } from '../contract/error.ts';
import type { Mode, PolicyVerdict, Risk } from '../contract/policy.ts';
import { cleanLine } from '../contract/text/clean-text.ts';
import { type Text, text, verbatim } from '../contract/text/text.ts';
import type { Tool } from '../contract/tool/tool.ts';
import { counted } from '../ground/counted.ts';
import { ruleName } from '../ground/questions/rule-name.ts';
import { shownLine } from '../ground/shell-quote.ts';
import { type ApproveDependencies, callDigest, riskOf } from './approve.ts';
import { refused } from './asking/answers.ts';
import type { Catalog } from './catalog.ts';
import { decide } from './decide.ts';
import { ruleOn } from './policy/rule-on.ts';

export interface PlanDependencies
  extends Pick<ApproveDependencies, 'asking' | 'policy' | 'whyNoLayer' | 'lendForRisk'> {
  readonly catalog: () => Promise<Catalog>;
  readonly mode: Mode;
}

/** The plan's caller; `approver`: the person that approved it, if one was asked. */
interface Planner {
  readonly caller: Caller;
  readonly approver?: string | undefined;
}

interface Looked {
  readonly step: PlanStep;
  readonly tool: Tool;
  readonly digest: string;
  readonly verdict: PolicyVerdict;
}

/** Plans of a caller: each call is decided as if it came alone, and an approval binds each by its own digest. */
export function createPlans({ caller, approver }: Planner, dependencies: PlanDependencies): Plans {
  async function lookAt(calls: readonly PlanCall[]): Promise<readonly Looked[]> {
    const seen = new Map<string, number>();
    const looked: Looked[] = [];
    for (const [at, call] of calls.entries()) {
      const one = await lookAtOne(call, at + 1, caller, dependencies);
      const key = `${one.tool.name} ${one.digest}`;
      const before = seen.get(key);
      if (before !== undefined)
        throw notThis(
          at + 1,
          text(`is the same call as step ${before}`, `手順 ${before} と同じ呼び出しです`),
        );
      seen.set(key, at + 1);
      looked.push(one);
    }
    const chars = looked.reduce((sum, { step }) => sum + step.line.en.length, 0);
    if (chars > mostChars)
      throw new ToolError(
        'invalid_parameter',
        `The plan is too long for a person to read: ${counted(chars, 'character')} of at most ${mostChars}.`,
        `計画が長すぎます（人が読む形で ${chars} 文字、上限は ${mostChars} 文字）。`,
        text(
          'Put long scripts into files first, or propose fewer calls.',
          '長いスクリプトは先にファイルに書くか、呼び出しを減らしてください。',
        ),
        { field: 'calls' },
      );
    return looked;
  }

  return {
    look: async (calls) => (await lookAt(calls)).map(({ step }) => step),
    async allow(calls): Promise<AllowedPlan> {
      const looked = await lookAt(calls);
      const nowMs = dependencies.asking.now();
      const expiresAtMs = nowMs + Math.min(planMs, dependencies.asking.expiryMs);
      const steps = looked.map(({ step }) => step);
      const wanted = looked.filter(({ step }) => step.needs === 'plan');
      // A mode that does not ask has no approval to hand on.
      if (approver === undefined || wanted.length === 0) return { steps, expiresAtMs };
      const planId = `pln_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
      const { principal, sessionId } = caller;
      await (await dependencies.asking.approvals()).keepPlan(
        wanted.map(({ step, tool, digest, verdict }) => ({
          principal,
          sessionId,
          tool: tool.name,
          digest,
          planId,
          decidedBy: approver,
          message: step.line,
          rule: verdict.rule,
          writtenAt: verdict.writtenAt,
          createdAtMs: nowMs,
          expiresAtMs,
        })),
        nowMs,
      );
      return { id: planId, steps, expiresAtMs };
    },
  };
}

async function lookAtOne(
  call: PlanCall,
  place: number,
  caller: Caller,
  dependencies: PlanDependencies,
): Promise<Looked> {
  const tool = (await dependencies.catalog()).find(call.tool);
  if (!tool || tool.unlisted)
    throw notThis(place, text(`names no tool: ${call.tool}`, `そのツールはありません: ${call.tool}`));
  if (tool.uses.includes('plans')) throw notThis(place, text('is a plan itself', 'それ自体が計画です'));
  const may = decide(tool, caller, dependencies.mode);
  if (!may.allowed) throw notThis(place, may.message);
  const checked = tool.check(call.arguments);
  if (!checked.ok) {
    const { field, message } = checked;
    throw notThis(place, text(`${field} ${message.en}`, `${field} ${message.ja}`));
  }
  const validated = { tool, caller, input: checked.input };
  const risk = await riskOf(validated, dependencies);
  const verdict = await ruleOn(await dependencies.policy(), tool, caller, risk, dependencies.whyNoLayer);
  if (verdict.decision === 'deny') {
    const refusal = refused(tool, risk, verdict);
    const { en, ja } = refusal.text;
    throw refusal.inWords(`Step ${place}: ${en}`, `手順 ${place}: ${ja}`);
  }
  const needs: PlanNeed =
    verdict.decision !== 'ask' ? 'nothing' : verdict.answer === 'person' ? 'person' : 'plan';
  return {
    tool,
    verdict,
    digest: callDigest(validated, risk),
    step: stepOf(place, tool, call, risk, verdict, needs),
  };
}

function stepOf(
  place: number,
  tool: Tool,
  call: PlanCall,
  risk: Risk,
  verdict: PolicyVerdict,
  needs: PlanNeed,
): PlanStep {
  const what = cleanLine(risk.command ? shownLine(risk.command.line) : JSON.stringify(call.arguments));
  const folder =
    risk.workingFolder === undefined || risk.workingFolder === '.' ? '' : ` [${risk.workingFolder}]`;
  const head = `${place}. ${tool.name}${cleanLine(folder)}: ${what}`;
  if (needs === 'nothing') return { tool: tool.name, needs, line: verbatim(head) };
  const { en, ja } = verdict.because;
  const alone = needs === 'person' ? onlyPerson : verbatim('');
  return {
    tool: tool.name,
    needs,
    line: text(
      `${head}  (${cleanLine(en)} ${ruleName(verdict, 'en')}${alone.en})`,
      `${head}（${cleanLine(ja)} ${ruleName(verdict, 'ja')}${alone.ja}）`,
    ),
  };
}

const onlyPerson = text('; asked about separately when it is sent', '。実行時に個別に確認します');

function notThis(place: number, why: Text): ToolError {
  return new ToolError('invalid_parameter', `Step ${place} ${why.en}.`, `手順 ${place}: ${why.ja}。`, {
    suggestion: text(
      'List calls as you would send them, each once.',
      '実際に送る形の呼び出しを、それぞれ 1 回だけ並べてください。',
    ),
    details: { field: `calls.${place - 1}` },
  });
}

/** The longest list of steps that a person can be expected to read. */
const mostChars = 12_000;

/** Short, because a plan is for work that begins now. */
const planMs = 60 * 60_000;
