import * as z from 'zod';
import { type EffectRule, mostDeleted, requestKinds } from '../contract/effects.ts';
import type { PolicyRule } from '../contract/policy.ts';
import { inputRule } from '../contract/tool/input-rule.ts';

const names = z.array(z.string().min(1));

const rule = z
  .strictObject({
    id: z.string().min(1).optional(),
    tool: z.string().min(1).optional(),
    role: z.string().min(1).optional(),
    purpose: z.enum(['task', 'chat']).optional(),
    user: z.string().min(1).optional(),
    annotations: z.record(z.string(), z.boolean()).optional(),
    command: z
      .array(z.union([z.string(), z.array(z.string())]))
      .min(1)
      .optional(),
    path: z.string().min(1).optional(),
    host: z.string().min(1).optional(),
    decision: z.enum(['allow', 'try', 'ask', 'deny']),
    answer: z.literal('person').optional(),
    because: z.string().min(1),
    match: names.optional(),
    notMatch: names.optional(),
  })
  .refine(({ decision, answer }) => answer === undefined || decision === 'ask', onlyAsked('decision'));

/** A rule about what a command did or would send, not about its words. */
const effectRule = z
  .strictObject({
    id: z.string().min(1).optional(),
    effect: z
      .strictObject({
        deletes: z
          .string()
          .refine(
            (deletes) => mostDeleted(deletes) !== undefined,
            inputRule('must look like "> 20 files"', '"> 20 files" のように指定してください'),
          )
          .optional(),
        writes: z.string().min(1).optional(),
        outside: names.min(1).optional(),
        sends: z.string().min(1).optional(),
        kind: z.array(z.enum(requestKinds)).min(1).optional(),
      })
      .refine(
        (effect) => Object.keys(effect).length > 0,
        inputRule(
          'must name deletes, writes or outside, or sends or kind',
          'deletes、writes、outside のいずれか、または sends か kind が必要です',
        ),
      ),
    then: z.enum(['allow', 'ask', 'deny']),
    answer: z.literal('person').optional(),
    because: z.string().min(1).optional(),
  })
  .refine(({ then, answer }) => answer === undefined || then === 'ask', onlyAsked('then'));

function onlyAsked(key: string) {
  return {
    ...inputRule(
      `"answer" says who answers a question, and needs "${key}": "ask"`,
      `"answer" は質問に答える人を指定するもので、"${key}": "ask" が必要です`,
    ),
    path: ['answer'],
  };
}

export const rulesSchema = z.array(z.union([rule, effectRule]));

type Rules = z.infer<typeof rulesSchema>;

/** Separates the two kinds. Each rule gets its index in the file as name, unless it has one, and its place. */
export function rulesOf(
  rules: Rules = [],
  rulesAt: readonly string[] = [],
): {
  readonly rules: readonly PolicyRule[];
  readonly effectRules: readonly EffectRule[];
} {
  const named = rules.map((rule, place) => ({
    ...rule,
    id: rule.id ?? `rules[${place}]`,
    writtenAt: rulesAt[place],
  }));
  return {
    rules: named.filter((rule) => !('effect' in rule)) as readonly PolicyRule[],
    effectRules: named.filter((rule) => 'effect' in rule),
  };
}
