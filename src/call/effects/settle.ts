import type { RunResult } from '../../contract/capabilities/process.ts';
import type { EffectRules, EffectVerdict } from '../../contract/effects.ts';
import { ToolError } from '../../contract/error.ts';
import { isInside } from '../../ground/inside.ts';
import { type Consent, type ConsentDependencies, consentTo } from '../asking/consent.ts';
import type { RunNotes } from '../run.ts';
import type { Permit } from '../slips.ts';
import { type LayerQuestion, type LayerQuestions, pendingLayerMs } from './pending-layers.ts';
import { effectsGrant, effectsParts, effectsQuestion, grantFact } from './question.ts';
import { discarded, lateWords, notYet, refusedEffects } from './words.ts';

export interface SettleDependencies extends ConsentDependencies {
  readonly rules: EffectRules;
  readonly pending: LayerQuestions;
}

/**
 * Lands the effects of a command from its layer, or discards them: by the rules about effects, and by a person if they
 * ask. Throws the error for the model if nothing is kept, or not yet. `digest`: of the call.
 */
export async function settle(
  question: LayerQuestion,
  permit: Permit,
  digest: string,
  dependencies: SettleDependencies,
  notes: RunNotes,
): Promise<RunResult> {
  const { layer, result } = question;
  const { effects } = layer;
  const isTried = permit.onLayer === true;
  const verdict = dependencies.rules.decide(effects, isTried);
  const came = (how: 'landed' | 'interrupted' | 'discarded' | 'waits', more: object = {}) => {
    const { decision, rule, writtenAt, because } = verdict;
    notes.facts.tried = {
      decision,
      rule,
      writtenAt,
      because,
      came: how,
      ...grantFact(permit, verdict),
      ...more,
    };
  };
  if (verdict.decision === 'deny') {
    came('discarded');
    await layer.discard();
    throw refusedEffects(verdict);
  }
  if (verdict.decision === 'ask') {
    try {
      notes.knows(await agreed(question, verdict, permit, dependencies, notes));
    } catch (error) {
      if (error instanceof ToolError && error.code === 'denied') {
        came('discarded');
        await layer.discard();
        throw discarded(error);
      }
      came('waits');
      await dependencies.pending.put(permit, digest, question);
      throw error instanceof ToolError && error.code === 'approval_pending' ? notYet(error) : error;
    }
  }
  // Stands until everything has landed.
  came('interrupted');
  const { conflicts, refused, notes: said } = await layer.land();
  came('landed', { ...(conflicts.length > 0 && { conflicts }), ...(refused.length > 0 && { refused }) });
  const changes = effects.changes.filter(({ path }) => !refused.some((each) => isInside(path, each)));
  const tried = { ...effects, changes, total: effects.total - effects.changes.length + changes.length };
  return { ...result, stderr: [result.stderr, ...said].join(''), tried };
}

/**
 * Keeps the effects of a command that ended after its call was answered until the same call is sent again, or discards
 * them if a rule refuses. Returns the text that is shown with its output.
 */
export async function holdLate(
  question: LayerQuestion,
  permit: Permit,
  digest: string,
  { rules, pending, locale }: SettleDependencies,
): Promise<string> {
  const verdict = rules.decide(question.layer.effects, permit.onLayer === true);
  if (verdict.decision === 'deny') await question.layer.discard();
  else await pending.put(permit, digest, question);
  return `[layer: ${lateWords(verdict)[locale]}]\n`;
}

/** An approval is bound to this layer: another run of the command is another question. */
function agreed(
  question: LayerQuestion,
  verdict: EffectVerdict,
  permit: Permit,
  dependencies: SettleDependencies,
  notes: RunNotes,
): Promise<Consent> {
  const { call } = permit;
  const asked = { effects: question.layer.effects, verdict };
  const { rule, writtenAt, answer } = verdict;
  const grant = answer === undefined ? effectsGrant(permit, verdict) : undefined;
  return consentTo(
    {
      ...permit,
      call: {
        ...call,
        // A caller that was answered with the call's id has no request that could carry a question.
        canRetry: call.canRetry === true && call.isLeft?.() !== true,
        // A client that has us run its own tool would take this question for the earlier one.
        elicit: call.carry ? undefined : call.elicit,
      },
    },
    {
      digest: question.digest,
      rule,
      writtenAt,
      answer,
      grant,
      message: () => effectsQuestion(permit, { ...asked, grant }),
      parts: effectsParts(permit, asked),
      onPending: ({ id }) => {
        question.questionId = id;
        notes.facts.question = id;
      },
    },
    { ...dependencies, expiryMs: Math.min(dependencies.expiryMs, pendingLayerMs) },
  );
}
