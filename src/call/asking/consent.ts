import type { ApprovalRecord, ApprovalStore, QuestionParts } from '../../contract/records.ts';
import type { Text } from '../../contract/text/text.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import type { Validated } from '../slips.ts';
import { declined, dismissed, stillPending } from './answers.ts';
import { type AskDependencies, askPerson } from './ask-person.ts';

export interface ConsentDependencies extends AskDependencies {
  readonly approvals: () => Promise<ApprovalStore>;
  readonly expiryMs: number;
  /** How the person starts this program, and what it needs to find these records. */
  readonly program: string;
  readonly recordFlags: string;
}

type Asker = Pick<Validated, 'call' | 'caller' | 'tool'>;

/** What a person is asked, and what their yes is bound to. */
export interface Asking {
  readonly digest: string;
  readonly rule: string;
  readonly writtenAt?: string | undefined;
  /** Only a person at a face of ours, and only for this call. */
  readonly answer?: 'person' | undefined;
  /** What a standing approval would allow; absent: there is none. */
  readonly grant?: string | undefined;
  /** Where the call works, on this host. */
  readonly folder?: string | undefined;
  /** A plan says nothing of why it is asked about. */
  readonly beyondPlans?: boolean | undefined;
  readonly message: () => Text | Promise<Text>;
  readonly parts: QuestionParts;
  /** Told of the question once it is open. */
  readonly onPending?: ((pending: ApprovalRecord) => void) | undefined;
}

export interface Consent {
  readonly approver: string;
  /** Given before, to this and its like. */
  readonly isStanding: boolean;
}

/**
 * A person's yes. It fits one caller, one tool and one digest, is used once and expires. Throws where it is a no, where
 * nobody answers, and where the client carries the question.
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
  // What is waited for from here on is the work.
  call.progress?.(0);
  // A yes that comes when nobody waits any more is kept for the same call sent again.
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

/** The command that answers. Where the records lie is nothing for callers from elsewhere. */
function answering(pending: ApprovalRecord, { caller }: Asker, dependencies: ConsentDependencies): string {
  if (caller.kind !== 'local') return `sekisho approve ${pending.id}`;
  return `${dependencies.program} approve ${pending.id}${dependencies.recordFlags}`;
}
