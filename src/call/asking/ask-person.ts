import type { Answer, Call } from '../../contract/call.ts';
import type { ApprovalRecord, ApprovalStore } from '../../contract/records.ts';
import { type Locale, text } from '../../contract/text/text.ts';
import { cleanWords } from '../../ground/questions/person-words.ts';
import type { Attendance } from './attendance.ts';
import { QuestionPending } from './pending.ts';

export interface AskDependencies {
  readonly now: () => number;
  readonly locale: Locale;
  readonly attendance: Attendance;
  /** How long a call waits for its answer. */
  readonly waitMs: number;
  /** Seals and opens the state that travels through a client (MCP 2026-07-28 requestState). */
  readonly seal: { close(state: string): string; open(sealed: string): string | undefined };
}

/** How asking ended. Whether a person agreed is in the store. */
export interface Asked {
  /** The person that closed the question without an answer. */
  readonly dismissedBy?: string | undefined;
  /** The program that declined without a person. */
  readonly declinedBy?: string | undefined;
}

/** Returns when the question was decided or the time is over; throws the question if the client carries it. */
export async function askPerson(
  call: Call,
  pending: ApprovalRecord,
  command: string,
  store: ApprovalStore,
  dependencies: AskDependencies,
): Promise<Asked> {
  const elicit = mayCarry(call, pending) ? call.elicit : undefined;
  const canRetry = mayCarry(call, pending) && call.canRetry;
  const answered = call.questionState === undefined ? undefined : openState(call.questionState, dependencies);
  if (mayCarry(call, pending) && call.answer && answered?.id === pending.id) {
    return settle(call.answer, answered.askedAtMs, call, pending, store, dependencies);
  }
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
