import { randomUUID } from 'node:crypto';
import type { WatchedHold } from '../../contract/capabilities/command-life.ts';
import { ToolError } from '../../contract/error.ts';
import { consentTo } from '../asking/consent.ts';
import type { RunNotes } from '../run.ts';
import type { Permit } from '../slips.ts';
import { pendingLayerMs } from './pending-layers.ts';
import { effectsGrant, effectsParts, effectsQuestion, grantFact } from './question.ts';
import type { SettleDependencies } from './settle.ts';
import { putBack, refusedWhileHeld } from './words.ts';

/** The permit of a call of which something waits. `isAnswered`: the call has had its reply; only the queue can ask. */
export function whileItWaits(permit: Permit, isAnswered: boolean, ended: AbortSignal): Permit {
  const { call } = permit;
  return {
    ...permit,
    call: {
      ...call,
      signal: isAnswered ? ended : AbortSignal.any([call.signal, ended]),
      canRetry: false,
      questionState: undefined,
      elicit: isAnswered || call.carry ? undefined : call.elicit,
    },
  };
}

/**
 * Asks about a command that runs on the folders themselves at the moment at which it passes a rule's limit: it is
 * paused, and then continued or ended. `isAnswered`: the call has had its reply, so only the queue can be asked, for as
 * long as a layer would wait.
 */
export function createHold(
  permit: Permit,
  { rules, ...dependencies }: SettleDependencies,
  notes: RunNotes,
  isAnswered: boolean,
): WatchedHold {
  let refusal: ToolError | undefined;

  const ask: WatchedHold['ask'] = async (effects, ended) => {
    const verdict = rules.decide(effects, false);
    const { decision, rule, writtenAt, answer, because } = verdict;
    const held = { decision, rule, writtenAt, because, ...grantFact(permit, verdict) };
    notes.facts.held = { ...held, came: 'put-back' };
    if (decision === 'deny') {
      refusal = putBack(refusedWhileHeld(verdict));
      return false;
    }
    const grant = answer === undefined ? effectsGrant(permit, verdict) : undefined;
    let questionId: string | undefined;
    try {
      const consent = await consentTo(
        whileItWaits(permit, isAnswered, ended),
        {
          digest: randomUUID(),
          rule,
          writtenAt,
          answer,
          grant,
          message: () => effectsQuestion(permit, { effects, verdict, grant, isHeld: true }),
          parts: effectsParts(permit, { effects, verdict, isHeld: true }),
          onPending: ({ id }) => {
            questionId = id;
            notes.facts.question = id;
          },
        },
        { ...dependencies, ...(isAnswered && { waitMs: pendingLayerMs }), expiryMs: pendingLayerMs },
      );
      notes.knows(consent);
      notes.facts.held = { ...held, came: 'went-on' };
      return true;
    } catch (error) {
      if (questionId !== undefined)
        await (await dependencies.approvals()).decide(
          ...([questionId, 'declined', 'the server, as its command was ended', 'once'] as const),
          dependencies.now(),
        );
      refusal = error instanceof ToolError ? putBack(error) : undefined;
      return false;
    }
  };

  return {
    ask,
    assertNotRefused() {
      if (refusal) throw refusal;
    },
  };
}
