import type { RunResult } from '../../contract/capabilities/process.ts';
import type { EffectRules, EffectVerdict } from '../../contract/effects.ts';
import { ToolError } from '../../contract/error.ts';
import { type Consent, type ConsentDependencies, consentTo } from '../asking/consent.ts';
import type { RunNotes } from '../run.ts';
import type { Permit } from '../slips.ts';
import { type HeldTrial, type HeldTrials, heldTrialMs } from './held.ts';
import { effectsGrant, effectsParts, effectsQuestion, grantFact } from './question.ts';
import { discarded, lateWords, notYet, refusedEffects } from './words.ts';

export interface SettleDependencies extends ConsentDependencies {
  readonly rules: EffectRules;
  readonly held: HeldTrials;
}

/**
 * Has what a command did on its layer land, or throws it away: by the rules about effects, and by a person where they
 * ask. Throws what the model is told where nothing of it is kept, or not yet. `digest`: of the call.
 */
export async function settle(
  held: HeldTrial,
  permit: Permit,
  digest: string,
  dependencies: SettleDependencies,
  notes: RunNotes,
): Promise<RunResult> {
  const { layer, result } = held;
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
      notes.knows(await agreed(held, verdict, permit, dependencies, notes));
    } catch (error) {
      if (error instanceof ToolError && error.code === 'denied') {
        came('discarded');
        await layer.discard();
        throw discarded(error);
      }
      came('waits');
      await dependencies.held.put(permit, digest, held);
      throw error instanceof ToolError && error.code === 'approval_pending' ? notYet(error) : error;
    }
  }
  // Until the last of it has landed.
  came('interrupted');
  const { conflicts, refused, notes: said } = await layer.land();
  came('landed', { ...(conflicts.length > 0 && { conflicts }), ...(refused.length > 0 && { refused }) });
  return { ...result, stderr: [result.stderr, ...said].join(''), tried: { effects, conflicts, refused } };
}

/**
 * Has what a command did after its call was answered wait for the same call to be sent again, or throws it away where a
 * rule says no. Returns what is shown with its output.
 */
export async function holdLate(
  held: HeldTrial,
  permit: Permit,
  digest: string,
  { rules, held: all, locale }: SettleDependencies,
): Promise<string> {
  const verdict = rules.decide(held.layer.effects, permit.onLayer === true);
  if (verdict.decision === 'deny') await held.layer.discard();
  else await all.put(permit, digest, held);
  return `[layer: ${lateWords(verdict)[locale]}]\n`;
}

/** A yes is bound to this layer: what another run of the command does is another question. */
function agreed(
  held: HeldTrial,
  verdict: EffectVerdict,
  permit: Permit,
  dependencies: SettleDependencies,
  notes: RunNotes,
): Promise<Consent> {
  const { call } = permit;
  const asked = { effects: held.layer.effects, verdict };
  const { rule, writtenAt, answer } = verdict;
  const grant = answer === undefined ? effectsGrant(permit, verdict) : undefined;
  return consentTo(
    {
      ...permit,
      call: {
        ...call,
        // Who was answered with the call's id has no request that could carry a question.
        canRetry: call.canRetry === true && call.isLeft?.() !== true,
        // A client that has us run its own tool takes what it hears now for what was asked before.
        elicit: call.carry ? undefined : call.elicit,
      },
    },
    {
      digest: held.digest,
      rule,
      writtenAt,
      answer,
      grant,
      message: () => effectsQuestion(permit, { ...asked, grant }),
      parts: effectsParts(permit, asked),
      onPending: ({ id }) => {
        held.questionId = id;
        notes.facts.question = id;
      },
    },
    { ...dependencies, expiryMs: Math.min(dependencies.expiryMs, heldTrialMs) },
  );
}
