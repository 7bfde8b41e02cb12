import type { RunResult } from '../../contract/capabilities/process.ts';
import type { DecideEffects, EffectVerdict } from '../../contract/effects.ts';
import { ToolError } from '../../contract/error.ts';
import { type Consent, type ConsentDependencies, consentTo } from '../asking/consent.ts';
import type { RunNotes } from '../run.ts';
import type { Permit } from '../slips.ts';
import { type HeldTrial, type HeldTrials, heldTrialMs } from './held.ts';
import { effectsGrant, effectsQuestion } from './question.ts';
import { discarded, notYet, refusedEffects } from './words.ts';

export interface SettleDependencies extends ConsentDependencies {
  readonly effects: () => Promise<DecideEffects>;
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
  const { trial } = held;
  const verdict = (await dependencies.effects())(trial.effects);
  const came = (how: 'landed' | 'interrupted' | 'discarded' | 'waits', more: object = {}) => {
    const { decision, rule, writtenAt, because } = verdict;
    notes.facts.tried = { decision, rule, writtenAt, because, came: how, ...more };
  };
  if (verdict.decision === 'deny') {
    came('discarded');
    await trial.discard();
    throw refusedEffects(verdict);
  }
  if (verdict.decision === 'ask') {
    try {
      notes.knows(await agreed(held, verdict, permit, dependencies));
    } catch (error) {
      if (error instanceof ToolError && error.code === 'denied') {
        came('discarded');
        await trial.discard();
        throw discarded(error);
      }
      came('waits');
      await dependencies.held.put(permit, digest, held);
      throw error instanceof ToolError && error.code === 'approval_pending' ? notYet(error) : error;
    }
  }
  // Until the last of it has landed.
  came('interrupted');
  const { conflicts, refused, notes: said } = await trial.land();
  came('landed', { ...(conflicts.length > 0 && { conflicts }), ...(refused.length > 0 && { refused }) });
  const { result, effects } = trial;
  return { ...result, stderr: [result.stderr, ...said].join(''), tried: { effects, conflicts, refused } };
}

/** A yes is bound to this layer: what another run of the command does is another question. */
function agreed(
  held: HeldTrial,
  verdict: EffectVerdict,
  permit: Permit,
  dependencies: SettleDependencies,
): Promise<Consent> {
  const { call } = permit;
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
      ...{ rule, writtenAt, answer, grant },
      message: () => effectsQuestion(permit, { effects: held.trial.effects, verdict, grant }),
      onPending: ({ id }) => {
        held.questionId = id;
      },
    },
    { ...dependencies, expiryMs: Math.min(dependencies.expiryMs, heldTrialMs) },
  );
}
