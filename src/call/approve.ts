import type { Caller } from '../contract/caller.ts';
import type { CapabilityName } from '../contract/capabilities/capabilities.ts';
import type { PolicyVerdict, Risk } from '../contract/policy.ts';
import type { ApprovalRecord, ApprovalStore } from '../contract/records.ts';
import { text } from '../contract/text/text.ts';
import type { RiskContext, Tool } from '../contract/tool/tool.ts';
import { cancelled } from '../ground/cancelled.ts';
import { declined, dismissed, refused, stillPending } from './asking/answers.ts';
import { type AskDependencies, askPerson } from './asking/ask-person.ts';
import { questionFor } from './asking/question.ts';
import { digestOf } from './digest.ts';
import type { Flow } from './flow.ts';
import { outgoingSecret } from './outgoing.ts';
import type { Permit, Validated } from './slips.ts';
import type { Suspended } from './suspended.ts';

/** What answers whether a call may happen, by rules. */
export interface Policy {
  decide(tool: Tool, caller: Caller, risk: Risk): PolicyVerdict;
  /** The rule that "for this session" and "always" would write, as the person reads it. */
  grantOf(tool: Tool, risk: Risk, verdict: PolicyVerdict): string;
}

export interface ApproveDependencies extends AskDependencies {
  readonly policy: () => Promise<Policy>;
  readonly approvals: () => Promise<ApprovalStore>;
  readonly lendForRisk: (tool: Tool, caller: Caller) => Promise<RiskContext<CapabilityName>>;
  readonly expiryMs: number;
  /** How the person starts this program, and what it needs to find these records. */
  readonly program: string;
  readonly recordFlags: string;
  /** Calls that wait between two requests. */
  readonly suspended: Suspended;
}

/**
 * Policy's word, and a person's where policy asks for one. An approval fits one caller, one tool and exactly these
 * arguments, is used once and expires. Nobody's silence is a yes.
 */
export async function approve(
  validated: Validated,
  flow: Flow | undefined,
  dependencies: ApproveDependencies,
): Promise<Permit> {
  const { tool, caller, call } = validated;
  const risk = await riskOf(validated, dependencies);
  const policy = await dependencies.policy();
  const ruled = policy.decide(tool, caller, risk);
  const verdict = stricter(ruled, flow?.verdict);
  if (verdict.decision === 'deny') throw refused(tool, risk, verdict);
  // Agreed to when it began; it is not begun again.
  if (dependencies.suspended.resumes(validated)) return permit(validated, risk, verdict.rule);
  if (verdict.decision === 'allow') return permit(validated, risk, verdict.rule);

  const store = await dependencies.approvals();
  const grant = grantFor(ruled, flow, policy.grantOf(tool, risk, ruled));
  const owner = { principal: caller.principal, sessionId: caller.sessionId, tool: tool.name };
  const standing = await store.standing({ ...owner, grant }, dependencies.now());
  if (standing) return permit(validated, risk, verdict.rule, approverOf(standing));

  // A proxied tool that changes is another tool: what was agreed to does not hold for it.
  const agreed = (yes: ApprovalRecord): Permit => {
    if (flow?.finding) flow.session.agreed(tool, flow.finding.targets);
    return permit(validated, risk, verdict.rule, approverOf(yes));
  };
  const digest = digestOf({ tool: tool.identity ?? tool.name, input: validated.input, ...begunWith(risk) });
  const binding = { principal: caller.principal, tool: tool.name, digest };
  const given = await store.take(binding, dependencies.now());
  if (given) return agreed(given);

  const message = questionFor({ tool, caller, risk, input: validated.input, verdict, grant });
  const nowMs = dependencies.now();
  const pending = await store.request(
    {
      ...owner,
      digest,
      message,
      rule: verdict.rule,
      createdAtMs: nowMs,
      expiresAtMs: nowMs + dependencies.expiryMs,
      grant,
    },
    nowMs,
  );
  const command = answering(pending, validated, dependencies);
  const asked = await askPerson(call, pending, command, store, dependencies);
  // What is waited for from here on is the work.
  call.progress?.(0);
  // A yes that comes when nobody waits any more is kept for the same call sent again.
  if (call.signal.aborted) throw cancelled();
  const taken = await store.take(binding, dependencies.now());
  if (taken) return agreed(taken);
  const now = await store.get(pending.id);
  if (now?.status !== 'declined') throw stillPending(pending, command, asked.declinedBy);
  throw asked.dismissedBy === undefined ? declined(now) : dismissed(now, asked.dismissedBy);
}

/** What the tool reads from its arguments, and what any of them would send. */
async function riskOf({ tool, caller, input }: Validated, dependencies: ApproveDependencies): Promise<Risk> {
  const risk = tool.risk ? await tool.risk(input, await dependencies.lendForRisk(tool, caller)) : {};
  const secret = outgoingSecret(tool, input);
  return secret ? { ...risk, secret } : risk;
}

/** One question for both: a person who reads where it goes has read what it is. */
function stricter(ruled: PolicyVerdict, flow: PolicyVerdict | undefined): PolicyVerdict {
  if (!flow || ruled.decision === 'deny') return ruled;
  if (ruled.decision === 'allow' || flow.decision === 'deny') return flow;
  const because = text(`${flow.because.en}; ${ruled.because.en}`, `${flow.because.ja}${ruled.because.ja}`);
  return { ...flow, because, rule: `${flow.rule}, ${ruled.rule}` };
}

/** A standing yes to a tool says nothing of where it may send, and the other way round. */
function grantFor(ruled: PolicyVerdict, flow: Flow | undefined, ruledGrant: string): string {
  if (!flow?.verdict) return ruledGrant;
  return ruled.decision === 'ask' ? `${ruledGrant} ${flow.grant}` : flow.grant;
}

/** Where commands share a session, the same line does other things in another folder or with other variables. */
function begunWith({ command, workingFolder }: Risk): object {
  return command?.variables ? { workingFolder, variables: command.variables } : {};
}

function permit(validated: Validated, risk: Risk, rule: string, approver?: string): Permit {
  return { ...validated, risk, rule, approver } as unknown as Permit;
}

function approverOf(record: ApprovalRecord): string {
  return record.decidedBy ?? 'unknown';
}

/** The command that answers. Where the records lie is nothing for callers from elsewhere. */
function answering(
  pending: ApprovalRecord,
  { caller }: Validated,
  dependencies: ApproveDependencies,
): string {
  if (caller.kind !== 'local') return `sekisho approve ${pending.id}`;
  return `${dependencies.program} approve ${pending.id}${dependencies.recordFlags}`;
}
