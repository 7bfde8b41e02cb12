import type { Answer } from '../contract/call.ts';
import type { Caller } from '../contract/caller.ts';
import type { CapabilityName } from '../contract/capabilities.ts';
import { ToolError } from '../contract/error.ts';
import type { PolicyVerdict, Risk } from '../contract/policy.ts';
import type { ApprovalRecord, ApprovalStore } from '../contract/records.ts';
import { type Locale, text } from '../contract/text.ts';
import type { RiskContext, Tool } from '../contract/tool.ts';
import { cancelled } from '../ground/cancelled.ts';
import { digestOf } from './digest.ts';
import { QuestionPending } from './pending.ts';
import { questionFor } from './question.ts';
import type { Order, Permit } from './slips.ts';
import type { Suspended } from './suspended.ts';

/** What answers whether a call may happen, by rules. */
export interface Policy {
  decide(tool: Tool, caller: Caller, risk: Risk): PolicyVerdict;
  /** The rule that "for this session" and "always" would write, as the person reads it. */
  grantOf(tool: Tool, risk: Risk, verdict: PolicyVerdict): string;
}

export interface ApprovalDesk {
  readonly policy: () => Promise<Policy>;
  readonly approvals: () => Promise<ApprovalStore>;
  readonly lendForRisk: (tool: Tool, caller: Caller) => Promise<RiskContext<CapabilityName>>;
  readonly now: () => number;
  readonly waitMs: number;
  readonly expiryMs: number;
  readonly locale: Locale;
  /** What the person's command line needs to find these records. */
  readonly recordFlags: string;
  /** Seals and opens the state that travels through a client (MCP 2026-07-28 requestState). */
  readonly seal: { close(approvalId: string): string; open(state: string): string | undefined };
  /** Calls that wait between two requests. */
  readonly suspended: Suspended;
}

/**
 * Policy's word, and a person's where policy asks for one. An approval fits one caller, one tool and exactly these
 * arguments, is used once and expires. Nobody's silence is a yes.
 */
export async function approve(order: Order, desk: ApprovalDesk): Promise<Permit> {
  const { tool, caller, call } = order;
  const risk = tool.risk ? await tool.risk(order.input, await desk.lendForRisk(tool, caller)) : {};
  const policy = await desk.policy();
  const verdict = policy.decide(tool, caller, risk);
  if (verdict.decision === 'deny') throw refused(verdict);
  // Agreed to when it began; it is not begun again.
  if (desk.suspended.resumes(order)) return permit(order, risk, verdict.rule);
  if (verdict.decision === 'allow') return permit(order, risk, verdict.rule);

  const store = await desk.approvals();
  const grant = policy.grantOf(tool, risk, verdict);
  const owner = { principal: caller.principal, sessionId: caller.sessionId, tool: tool.name };
  const standing = await store.standing({ ...owner, grant }, desk.now());
  if (standing) return permit(order, risk, verdict.rule, approverOf(standing));

  // A proxied tool that changes is another tool: what was agreed to does not hold for it.
  const digest = digestOf({ tool: tool.identity ?? tool.name, input: order.input, ...begunWith(risk) });
  const binding = { principal: caller.principal, tool: tool.name, digest };
  const given = await store.take(binding, desk.now());
  if (given) return permit(order, risk, verdict.rule, approverOf(given));

  const message = questionFor({
    tool,
    caller,
    risk,
    input: order.input,
    verdict,
    grant,
    locale: desk.locale,
  });
  const nowMs = desk.now();
  const pending = await store.request(
    {
      ...owner,
      digest,
      message,
      rule: verdict.rule,
      createdAtMs: nowMs,
      expiresAtMs: nowMs + desk.expiryMs,
      grant,
    },
    nowMs,
  );
  await askPerson(order, pending, store, desk);
  // What is waited for from here on is the work.
  call.progress?.(0);
  // A yes that comes when nobody waits any more is kept for the same call sent again.
  if (call.signal.aborted) throw cancelled();
  const taken = await store.take(binding, desk.now());
  if (taken) return permit(order, risk, verdict.rule, approverOf(taken));
  const now = await store.get(pending.id);
  throw now?.status === 'declined'
    ? declined(pending)
    : stillPending(pending, answering(pending, order, desk));
}

/** Returns when the approval was decided or the time is over; throws the question where the client carries it. */
async function askPerson(
  order: Order,
  pending: ApprovalRecord,
  store: ApprovalStore,
  desk: ApprovalDesk,
): Promise<void> {
  const { call } = order;
  const answered = call.questionState === undefined ? undefined : desk.seal.open(call.questionState);
  if (call.answer && answered === pending.id) {
    await writeDown(call.answer, pending, store, desk);
    return;
  }
  const question = { approvalId: pending.id, message: pending.message, state: desk.seal.close(pending.id) };
  if (!call.elicit && call.canRetry) throw new QuestionPending(question);
  const command = answering(pending, order, desk);
  call.progress?.(
    0,
    undefined,
    text(`waiting for a person: ${command}`, `人の返事待ち: ${command}`)[desk.locale],
  );
  if (!call.elicit) {
    await store.wait(pending.id, desk.waitMs, call.signal);
    return;
  }
  // Whoever answers first decides: the client's person, or `sekisho approve` and the console.
  const over = new AbortController();
  const signal = AbortSignal.any([call.signal, over.signal]);
  try {
    const answer = await Promise.race([
      call.elicit(question),
      store.wait(pending.id, desk.waitMs, signal).then(() => undefined),
    ]);
    if (answer) await writeDown(answer, pending, store, desk);
  } catch {
    // A client that announced elicitation and failed at it: the queue is still open.
    await store.wait(pending.id, desk.waitMs, signal);
  } finally {
    over.abort();
  }
}

/** Where commands share a session, the same line does other things in another folder or with other variables. */
function begunWith({ command, workingFolder }: Risk): object {
  return command?.variables ? { workingFolder, variables: command.variables } : {};
}

async function writeDown(
  answer: Answer,
  pending: ApprovalRecord,
  store: ApprovalStore,
  desk: ApprovalDesk,
): Promise<void> {
  // Closing the dialog is not an answer; the question stays in the queue.
  if (answer.action === 'cancel') return;
  const decision = answer.action === 'accept' ? 'approved' : 'declined';
  await store.decide(pending.id, decision, 'client', answer.scope ?? 'once', desk.now());
}

function permit(order: Order, risk: Risk, rule: string, approver?: string): Permit {
  return { ...order, risk, rule, approver } as unknown as Permit;
}

function approverOf(record: ApprovalRecord): string {
  return record.decidedBy ?? 'unknown';
}

function refused(verdict: PolicyVerdict): ToolError {
  return new ToolError('denied', verdict.because, {
    suggestion: verdict.suggestion,
    details: { rule: verdict.rule },
  });
}

function declined(pending: ApprovalRecord): ToolError {
  return new ToolError(
    'denied',
    text('A person was asked and said no.', '人に確認し、許可されませんでした。'),
    {
      suggestion: text('Find another way, or ask them why.', '別の方法を探すか、理由を尋ねてください。'),
      details: { approval_id: pending.id, rule: pending.rule },
    },
  );
}

function stillPending(pending: ApprovalRecord, command: string): ToolError {
  return new ToolError(
    'approval_pending',
    text('A person must agree to this first.', '先に人の同意が必要です。'),
    {
      suggestion: text(
        `Ask them to run \`${command}\`, then send the same call again.`,
        `\`${command}\` の実行を頼み、その後で同じ呼び出しを送ってください。`,
      ),
      details: { approval_id: pending.id, rule: pending.rule },
    },
  );
}

/** The command that answers. Where the records lie is nothing for callers from elsewhere. */
function answering(pending: ApprovalRecord, { caller }: Order, desk: ApprovalDesk): string {
  return `sekisho approve ${pending.id}${caller.kind === 'local' ? desk.recordFlags : ''}`;
}
