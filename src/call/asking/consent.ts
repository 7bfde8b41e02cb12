import type { Answer, Call } from '../../contract/call.ts';
import type { ApprovalRecord, ApprovalStore, QuestionParts } from '../../contract/records.ts';
import { type Locale, type Text, text } from '../../contract/text/text.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import { cleanWords } from '../../ground/questions/person-words.ts';
import type { Validated } from '../slips.ts';
import { declined, dismissed, stillPending } from './answers.ts';
import type { Attendance } from './attendance.ts';
import { QuestionPending } from './pending.ts';

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

interface AskDependencies {
  readonly now: () => number;
  readonly locale: Locale;
  readonly attendance: Attendance;
  /** How long a call waits for its answer. */
  readonly waitMs: number;
  /** Seals and opens the state that travels through a client (MCP 2026-07-28 requestState). */
  readonly seal: { close(state: string): string; open(sealed: string): string | undefined };
}

/** How asking ended. Whether a person agreed is in the store. */
interface Asked {
  /** The person that closed the question without an answer. */
  readonly dismissedBy?: string | undefined;
  /** The program that declined without a person. */
  readonly declinedBy?: string | undefined;
}

/** Returns when the question was decided or the time is over; throws the question if the client carries it. */
async function askPerson(
  call: Call,
  pending: ApprovalRecord,
  command: string,
  store: ApprovalStore,
  dependencies: AskDependencies,
): Promise<Asked> {
  const elicit = mayCarry(call, pending) ? call.elicit : undefined;
  const canRetry = mayCarry(call, pending) && call.canRetry;
  const answered = call.questionState === undefined ? undefined : openState(call.questionState, dependencies);
  if (mayCarry(call, pending) && call.answer && answered?.id === pending.id)
    return settle(call.answer, answered.askedAtMs, call, pending, store, dependencies);
  const question = {
    approvalId: pending.id,
    message: pending.message[dependencies.locale],
    state: dependencies.seal.close(`${pending.id}@${dependencies.now()}`),
  };
  if (!elicit && canRetry) throw new QuestionPending(question);
  const waiting = text(`waiting for a person: ${command}`, `人の回答待ち: ${command}`);
  call.progress?.(0, undefined, waiting[dependencies.locale]);
  if (!elicit) {
    await store.wait(pending.id, dependencies.waitMs, call.signal);
    return {};
  }
  // The first answer decides: from the client's person, or from `sekisho approve` or the console.
  const over = new AbortController();
  const signal = AbortSignal.any([call.signal, over.signal]);
  const askedAtMs = dependencies.now();
  try {
    const answer = await Promise.race([
      elicit(question),
      store.wait(pending.id, call.patienceMs ?? dependencies.waitMs, signal).then(() => undefined),
    ]);
    return answer ? await settle(answer, askedAtMs, call, pending, store, dependencies) : {};
  } catch {
    // The client announced elicitation and failed at it; the queue is still open.
    await store.wait(pending.id, dependencies.waitMs, signal);
    return {};
  } finally {
    over.abort();
  }
}

async function settle(
  answer: Answer,
  askedAtMs: number,
  call: Call,
  pending: ApprovalRecord,
  store: ApprovalStore,
  dependencies: AskDependencies,
): Promise<Asked> {
  const client = `client ${call.arrival.client?.name ?? call.arrival.transport}`;
  if (answer.action === 'accept') {
    dependencies.attendance.agreed(call);
    const nowMs = dependencies.now();
    const scope = answer.scope === 'hour' ? 'until' : (answer.scope ?? 'once');
    await store.decide(pending.id, 'approved', client, scope, nowMs, { untilMs: nowMs + hourMs });
    return {};
  }
  if (dependencies.attendance.isMachine(call, dependencies.now() - askedAtMs)) {
    // This does not count as a no: a person at the console or a terminal may still answer while the call waits.
    await store.wait(pending.id, dependencies.waitMs, call.signal);
    // A program that answers at once could ask without end and leave no room for a person's other questions.
    await store.shorten(pending.id, dependencies.now() + unseenMs);
    return { declinedBy: `${client}, by itself` };
  }
  const instead = answer.instead === undefined ? undefined : cleanWords(answer.instead);
  await store.decide(pending.id, 'declined', client, 'once', dependencies.now(), { instead });
  return answer.action === 'cancel' ? { dismissedBy: client } : {};
}

/** A program that answers at once could ask without end and leave no room for a person's other questions. */
function mayCarry({ arrival }: Call, { answer }: ApprovalRecord): boolean {
  return answer !== 'person' || arrival.transport === 'cli' || arrival.transport === 'ask';
}

const hourMs = 3_600_000;
/** A client's program may answer in its person's place, so it gets no question that only a person may answer. */
const unseenMs = 5 * 60_000;

/** The question that a sealed state is about, and when it was asked. */
function openState(state: string, dependencies: AskDependencies) {
  const [id, at] = dependencies.seal.open(state)?.split('@') ?? [];
  return id === undefined ? undefined : { id, askedAtMs: Number(at) };
}
