import { posix } from 'node:path';
import type { Caller } from '../contract/caller.ts';
import type { CapabilityName } from '../contract/capabilities/capabilities.ts';
import type { Covered } from '../contract/people/operator.ts';
import type { PolicyVerdict, Risk } from '../contract/policy.ts';
import type { ApprovalRecord, AuditLog, GrantWanted } from '../contract/records.ts';
import { type Text, text } from '../contract/text/text.ts';
import type { RiskContext, Tool } from '../contract/tool/tool.ts';
import { digestOf } from '../ground/digest.ts';
import { coveredAmong, factGrant } from '../ground/questions/would-cover.ts';
import { refused } from './asking/answers.ts';
import { type ConsentDependencies, consentTo } from './asking/consent.ts';
import { questionFor, questionParts } from './asking/question.ts';
import type { LayerQuestions } from './effects/pending-layers.ts';
import type { Flow } from './flow/flow.ts';
import { outgoingSecret } from './flow/outgoing.ts';
import { reachOf } from './flow/reach.ts';
import type { Repeats } from './limits/repeats.ts';
import { ruleOn } from './policy/rule-on.ts';
import type { Permit, Validated } from './slips.ts';
import type { Suspended } from './suspended.ts';

/** Decides by rules whether a call may happen. */
export interface Policy {
  /** `withoutLayer`: why a layer is not available here. */
  decide(tool: Tool, caller: Caller, risk: Risk, withoutLayer?: Text): PolicyVerdict;
  /** The rule that a standing approval would write, as the person reads it. */
  grantOf(tool: Tool, risk: Risk, verdict: PolicyVerdict): string;
}

export interface ApproveDependencies {
  /** For the question to a person. */
  readonly asking: ConsentDependencies;
  readonly policy: () => Promise<Policy>;
  /** Why commands cannot be tried on a layer here. */
  readonly whyNoLayer: () => Promise<Text | undefined>;
  readonly lendForRisk: (tool: Tool, caller: Caller) => Promise<RiskContext<CapabilityName>>;
  /** Calls that wait between two requests. */
  readonly suspended: Suspended;
  readonly audit: () => Promise<AuditLog>;
  /** The folder of this host that relative folders are resolved against. */
  readonly root: string | undefined;
  /** Layers that wait for a person's answer. */
  readonly pending: Pick<LayerQuestions, 'has'>;
  readonly repeats: Repeats;
}

/**
 * Applies the policy, and asks a person if the policy says so. An approval fits one caller, one tool and exactly these
 * arguments, is used once and expires. Silence is never an approval.
 */
export async function approve(
  validated: Validated,
  flow: Flow | undefined,
  dependencies: ApproveDependencies,
  facts: Record<string, unknown>,
): Promise<Permit> {
  const { tool, caller } = validated;
  const risk = await riskOf(validated, dependencies);
  const policy = await dependencies.policy();
  const ruled = await ruleOn(policy, tool, caller, risk, dependencies.whyNoLayer);
  const repeated = dependencies.repeats.verdict(validated);
  const verdict = stricter(stricter(ruled, flow?.verdict), repeated);
  if (verdict.rule !== 'default') facts.policy = policyFacts(verdict);
  if (verdict.decision === 'deny') throw refused(tool, risk, verdict);
  // It was approved when it began, and it does not begin again.
  if (dependencies.suspended.resumes(validated)) return permit(validated, risk, verdict);
  if (verdict.decision !== 'ask') return permit(validated, risk, verdict);

  // This call already ran on a layer that waits for an answer; the question about its effects replaces this one.
  const ofCall = callDigest(validated, risk);
  if (verdict.onLayer && dependencies.pending.has(validated, ofCall)) return permit(validated, risk, verdict);
  // An answer that a person gave before the call was repeated does not cover its repetition.
  const digest = repeated ? digestOf({ repeats: ofCall }) : ofCall;

  const { rule, writtenAt, answer } = verdict;
  const isAlone = answer !== undefined || risk.steps !== undefined || repeated !== undefined;
  const grant = isAlone ? undefined : grantFor(ruled, flow, policy.grantOf(tool, risk, ruled));
  const folder = folderOf(risk, dependencies.root);
  if (grant !== undefined) facts.policy = { ...policyFacts(verdict), grant: factGrant(grant), folder };
  const asking = {
    digest,
    rule,
    writtenAt,
    answer,
    grant,
    folder,
    // A plan does not cover this call: where its arguments come from was not shown with the plan.
    beyondPlans: flow?.verdict !== undefined || repeated !== undefined,
    parts: questionParts({ tool, risk, input: validated.input }, verdict, validated.call.arrival.client),
    onPending: ({ id }: ApprovalRecord) => {
      facts.question = id;
    },
    async message() {
      const wanted =
        grant === undefined ? undefined : { principal: caller.principal, tool: tool.name, grant };
      const covered = wanted && (await wouldCover(wanted, await dependencies.audit()));
      return questionFor({ tool, caller, risk, input: validated.input, verdict, grant, covered });
    },
  };
  const yes = await consentTo(validated, asking, dependencies.asking);
  // The digest binds an approval to the tool's identity: it does not hold for a proxied tool that changed.
  if (flow?.finding && !yes.isStanding) flow.session.agreed(tool, flow.finding.targets);
  if (repeated) dependencies.repeats.agreed(caller);
  return permit(validated, risk, verdict, yes.approver);
}

/** The risk that the tool reads from its arguments, and any secret that an argument would send. */
export async function riskOf(
  { tool, caller, input }: Pick<Validated, 'tool' | 'caller' | 'input'>,
  dependencies: Pick<ApproveDependencies, 'lendForRisk'>,
): Promise<Risk> {
  const risk = tool.risk ? await tool.risk(input, await dependencies.lendForRisk(tool, caller)) : {};
  const secret = outgoingSecret(tool, input);
  return { ...risk, ...reachOf(tool, input), ...(secret && { secret }) };
}

/** Merges both into one question, so that the person reads where the data goes together with what is done. */
function stricter(ruled: PolicyVerdict, more: PolicyVerdict | undefined): PolicyVerdict {
  if (!more || ruled.decision === 'deny') return ruled;
  const { writtenAt, answer, onLayer } = ruled;
  if (ruled.decision !== 'ask' || more.decision === 'deny') return { ...more, onLayer };
  const because = text(`${more.because.en}; ${ruled.because.en}`, `${more.because.ja}。${ruled.because.ja}`);
  return { ...more, because, writtenAt, answer, onLayer, rule: `${more.rule}, ${ruled.rule}` };
}

/** For the log: the decision and where its rule is written, to explain it after the rules have changed. */
function policyFacts({ decision, writtenAt, answer, because }: PolicyVerdict): object {
  return { decision, writtenAt, answer, because };
}

/** The command changes or names a folder, so its working folder does not say what it acts on. */
const goesElsewhere =
  /\b(cd|pushd|popd|chdir)\b|(^|\s)(-C|--(git-dir|work-tree|prefix|cwd|directory|chdir|root|dir)\b)/;

/** The folder of a call: its command's, or the one that directly contains all its paths, unless it is the root. */
function folderOf(risk: Risk, root: string | undefined): string | undefined {
  if (root === undefined) return undefined;
  if (risk.command) {
    const { line } = risk.command;
    const words = line.kind === 'script' ? [line.script] : [line.program, ...line.args];
    return words.some((each) => goesElsewhere.test(each))
      ? undefined
      : posix.resolve(root, risk.workingFolder ?? '.');
  }
  const folders = new Set([...(risk.reads ?? []), ...(risk.writes ?? [])].map((path) => posix.dirname(path)));
  const [folder] = folders;
  return folders.size === 1 && folder !== undefined && folder !== '.' && folder !== '/'
    ? posix.resolve(root, folder)
    : undefined;
}

/** A standing approval of a tool does not cover where it may send, nor the other way round. */
function grantFor(ruled: PolicyVerdict, flow: Flow | undefined, ruledGrant: string): string {
  if (!flow?.verdict) return ruledGrant;
  return ruled.decision === 'ask' ? `${ruledGrant} ${flow.grant}` : flow.grant;
}

/** If commands share a session, the same line does other things in another folder or with other variables. */
function begunWith({ command, workingFolder, outside }: Risk): object {
  if (outside) return { workingFolder, outside };
  return command?.variables ? { workingFolder, variables: command.variables } : {};
}

/** An approval, or a layer, belongs to this caller's tool with exactly these arguments. */
export function callDigest({ tool, input }: Pick<Validated, 'tool' | 'input'>, risk: Risk): string {
  return digestOf({ tool: tool.identity ?? tool.name, input, ...begunWith(risk) });
}

function permit(
  validated: Validated,
  risk: Risk,
  { rule, onLayer }: PolicyVerdict,
  approver?: string,
): Permit {
  return { ...validated, risk, rule, onLayer, approver } as unknown as Permit;
}

/** The number of newest calls that are searched. */
const newestCalls = 1000;

/** The recent calls of the same caller that a standing approval would have let pass. */
async function wouldCover(
  wanted: Pick<GrantWanted, 'principal' | 'tool' | 'grant'>,
  log: AuditLog,
): Promise<Covered> {
  const entries = await log.search({ limit: newestCalls, newestFirst: true });
  return coveredAmong(entries, { ...wanted, scope: 'always' });
}
