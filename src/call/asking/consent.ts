import type { ApprovalRecord, ApprovalStore, QuestionParts } from '../../contract/records.ts';
import type { Text } from '../../contract/text/text.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import type { Validated } from '../slips.ts';
import { declined, dismissed, stillPending } from './answers.ts';
import { type AskDependencies, askPerson } from './ask-person.ts';

export interface ConsentDependencies extends AskDependencies {
  readonly approvals: () => Promise<ApprovalStore>;
  readonly expiryMs: number;
  /** The command that starts this program, and the flags with which it finds these records. */
  readonly program: string;
  readonly recordFlags: string;
}

type Asker = Pick<Validated, 'call' | 'caller' | 'tool'>;

/** The question for a person, and the digest that an approval is bound to. */
export interface Asking {
  readonly digest: string;
  readonly rule: string;
  readonly writtenAt?: string | undefined;
  /** Only a person at Sekisho's own terminal or console answers, and only for this call. */
  readonly answer?: 'person' | undefined;
  /** The extent of a standing approval; undefined if none is offered. */
  readonly grant?: string | undefined;
  /** The host folder that the call works in. */
  readonly folder?: string | undefined;
  /** A plan does not cover the reason for this question. */
  readonly beyondPlans?: boolean | undefined;
  readonly message: () => Text | Promise<Text>;
  readonly parts: QuestionParts;
  /** Called with the question once it is open. */
  readonly onPending?: ((pending: ApprovalRecord) => void) | undefined;
}

export interface Consent {
  readonly approver: string;
  /** An earlier standing approval covers this call. */
  readonly isStanding: boolean;
}

/**
 * A person's approval. It fits one caller, one tool and one digest, is used once and expires. Throws if the person
 * refuses or does not answer, and if the client carries the question.
 */
export async function consentTo(
  validated: Asker,
  asking: Asking,
  dependencies: ConsentDependencies,
): Promise<Consent> {
  const { tool, caller, call } = validated;
  const { digest, rule, writtenAt, answer, grant, folder, beyondPlans } = asking;
  const store = await dependencies.approvals();
  const owner = { principal: caller.principal, sessionId: caller.sessionId, tool: tool.name };
  if (grant !== undefined && !answer) {
    const standing = await store.standing({ ...owner, grant, folder }, dependencies.now());
    if (standing) return consentOf(standing, true);
  }
  const isPlans = !answer && !beyondPlans;
  const binding = {
    principal: caller.principal,
    tool: tool.name,
    digest,
    ...(isPlans && { sessionId: caller.sessionId }),
  };
  const given = await store.take(binding, dependencies.now());
  if (given) return consentOf(given);

  const nowMs = dependencies.now();
  const pending = await store.request(
    {
      ...owner,
      digest,
      rule,
      writtenAt,
      answer,
      folder,
      grant: answer ? undefined : grant,
      message: await asking.message(),
      about: asking.parts,
      createdAtMs: nowMs,
      expiresAtMs: nowMs + dependencies.expiryMs,
    },
    nowMs,
  );
  asking.onPending?.(pending);
  const command = answering(pending, validated, dependencies);
  const asked = await askPerson(call, pending, command, store, dependencies);
  // From here on, progress is about the work and no longer about the question.
  call.progress?.(0);
  // An approval that comes after the caller has left is kept for the same call sent again.
  if (call.signal.aborted) throw cancelled();
  const taken = await store.take(binding, dependencies.now());
  if (taken) return consentOf(taken);
  const now = await store.get(pending.id);
  if (now?.status !== 'declined') throw stillPending(pending, command, asked.declinedBy);
  throw asked.dismissedBy === undefined ? declined(now) : dismissed(now, asked.dismissedBy);
}

function consentOf({ decidedBy = 'unknown' }: ApprovalRecord, isStanding = false): Consent {
  return { approver: decidedBy, isStanding };
}

/** The command that answers. Remote callers do not learn where the records are. */
function answering(pending: ApprovalRecord, { caller }: Asker, dependencies: ConsentDependencies): string {
  if (caller.kind !== 'local') return `sekisho approve ${pending.id}`;
  return `${dependencies.program} approve ${pending.id}${dependencies.recordFlags}`;
}
