import { randomUUID } from 'node:crypto';
import type { EffectsJudge } from '../../contract/capabilities/command-life.ts';
import { callDigest } from '../approve.ts';
import type { RunNotes } from '../run.ts';
import type { Permit } from '../slips.ts';
import { createHold } from './holding.ts';
import { askAboutRequests } from './requests.ts';
import { holdLate, type SettleDependencies, settle } from './settle.ts';

/**
 * The one place where the effects of a call's commands are decided about. The same call sent again, whose layer waits for
 * a person, continues with that layer and runs nothing.
 */
export function createEffectsJudge(
  permit: Permit,
  dependencies: SettleDependencies,
  notes: RunNotes,
): EffectsJudge {
  const digest = callDigest(permit, permit.risk);
  const { held, rules } = dependencies;
  const isTried = permit.onLayer === true;
  let isAnswered = false;
  return {
    isTried,
    readChanges: rules.readChanges,
    isObeyed: rules.isObeyed,
    allows: (effects) => rules.decide(effects, isTried).decision === 'allow',
    foresee: (effects) => rules.decide(effects, true),
    settleWaiting() {
      const waiting = held.take(permit, digest);
      return waiting && settle(waiting, permit, digest, dependencies, notes);
    },
    settle: (ended) => settle({ ...ended, digest: randomUUID() }, permit, digest, dependencies, notes),
    settleLate: (ended) => holdLate({ ...ended, digest: randomUUID() }, permit, digest, dependencies),
    hold: (isAnswered) => createHold(permit, dependencies, notes, isAnswered),
    askAboutRequest: askAboutRequests(permit, dependencies, notes, () => isAnswered),
    goesOn() {
      isAnswered = true;
    },
    ranDirectly(why) {
      notes.facts.direct = why;
    },
  };
}
