import * as z from 'zod';
import type { PlanCall } from '../../contract/capabilities/plans.ts';
import { text } from '../../contract/text/text.ts';
import { defineTool, defineToolset } from '../../contract/tool/define-tool.ts';
import { inputRule } from '../../contract/tool/input-rule.ts';
import type { Toolset } from '../../contract/tool/tool.ts';
import { counted } from '../../ground/counted.ts';
import { orElse } from '../../ground/or-else.ts';

/** Served only if named: its tokens in every list pay off only for long tasks. */
export function createPlanToolset(): Toolset {
  return defineToolset('plan', [proposePlan]);
}

const noObject = text('must be a JSON object', 'JSON オブジェクトでなければなりません');

/** Proposes a list of calls that a person approves as a whole. */
export const proposePlan = defineTool({
  name: 'propose_plan',
  category: 'planning',
  title: text('Propose a plan', '計画を提案'),
  description: text(
    'Asks the person once for several calls. If approved, each is allowed once, with exactly these arguments, in this session, within an hour. Runs none of them: send each afterwards. Only useful if two or more need approval.',
    '複数の呼び出しについて、まとめて 1 回だけ人に確認します。許可されると、それぞれがこの引数どおりに、このセッションで 1 時間以内に 1 回ずつ許可されます。実行はしないので、その後で個別に送ってください。確認される呼び出しが 2 つ以上あるときに使います。',
  ),
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  uses: ['plans'],
  input: z.object({
    why: z.string().min(1).max(500).describe('What it is for, e.g. "Release 1.2.0".'),
    calls: z
      .array(
        z.strictObject({
          tool: z.string().min(1).max(200).describe('e.g. "shell_exec".'),
          // A string, since strict providers reject objects whose keys the schema does not name.
          arguments: z
            .string()
            .max(100_000)
            .refine((json) => argumentsIn(json) !== undefined, inputRule(noObject))
            .describe('JSON, exactly as you will send them: {"command": "git push"}.'),
        }),
      )
      .min(1)
      .max(50)
      .describe('In the order in which you will send them.'),
  }),
  output: z.object({
    plan_id: z.string().optional(),
    expires_at: z.string().optional(),
    steps: z.array(z.object({ tool: z.string(), needs: z.enum(['nothing', 'plan', 'person']) })),
  }),
  ja: {
    why: '目的。例: "1.2.0 のリリース"。',
    calls: '送る順に並べます。',
    'calls.tool': 'ツール名。例: "shell_exec"。',
    'calls.arguments': '実際に送る引数そのものの JSON。例: {"command": "git push"}。',
  },
  example: {
    why: 'Publish the branch',
    calls: [
      { tool: 'shell_exec', arguments: '{"command": "git push origin main"}' },
      { tool: 'shell_exec', arguments: '{"command": "git push origin v1.2.0"}' },
    ],
  },
  async risk({ why, calls }, { plans }) {
    const steps = await plans.look(calls.map(planCall));
    const asked = steps.filter(({ needs }) => needs === 'plan').length;
    if (asked === 0) return {};
    return {
      steps: steps.map(({ line }) => line),
      ask: text(
        `a plan of ${counted(steps.length, 'call')}; your approval allows ${asked} of them once each: ${why}`,
        `${steps.length} 件の呼び出しの計画です。許可すると、うち ${asked} 件がそれぞれ 1 回ずつ許可されます: ${why}`,
      ),
    };
  },
  async run({ calls }, { plans, audit }) {
    const { id, steps, expiresAtMs } = await plans.allow(calls.map(planCall));
    audit({ plan: id, steps: steps.map(({ line }) => line.en) });
    return {
      ...(id !== undefined && { plan_id: id, expires_at: new Date(expiresAtMs).toISOString() }),
      steps: steps.map(({ tool, needs }) => ({ tool, needs })),
    };
  },
});

function planCall({
  tool,
  arguments: json,
}: {
  readonly tool: string;
  readonly arguments: string;
}): PlanCall {
  return { tool, arguments: argumentsIn(json) ?? {} };
}

function argumentsIn(json: string): PlanCall['arguments'] | undefined {
  // Invalid JSON: the argument's rule explains the format.
  const value: unknown = orElse(() => JSON.parse(json), undefined);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as PlanCall['arguments']) : undefined;
}
