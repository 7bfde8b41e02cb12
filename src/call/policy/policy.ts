import { posix } from 'node:path';
import type { Caller } from '../../contract/caller.ts';
import type { CommandJudge, Confinement, Dialect, Judgement } from '../../contract/capabilities/judgement.ts';
import type {
  Mode,
  OutgoingSecret,
  PolicyDecision,
  PolicyRule,
  PolicyVerdict,
  Risk,
} from '../../contract/policy.ts';
import { type Text, text, verbatim } from '../../contract/text/text.ts';
import type { Tool } from '../../contract/tool/tool.ts';
import { createObeyedBy } from '../../ground/obeyed/obeyed-by.ts';
import type { Policy } from '../approve.ts';
import { type Argv, mayFitCommand } from './command.ts';
import { grantText } from './grant.ts';
import { modes } from './modes.ts';
import { judgePassed } from './passed.ts';
import { type ReadyRule, readRule, runsCommands } from './rule.ts';

export interface PolicyOptions {
  readonly mode: Mode;
  readonly rules: readonly PolicyRule[];
  readonly judge: CommandJudge;
  /** Host paths of the roots; relative working folders are resolved against the first. */
  readonly roots: readonly string[];
  readonly confinement?: Confinement | undefined;
  /** How commands are read; undefined: each toolset's own dialect. */
  readonly judgement?: Dialect | undefined;
  /** Tries commands on a layer if the built-in rules object only to effects that a layer contains. */
  readonly tryFirst?: boolean | undefined;
}

const strictness: Record<PolicyDecision, number> = { allow: 0, try: 1, ask: 2, deny: 4 };

/** A question that only a person may answer outranks an ordinary question. */
function strictnessOf({ decision, answer }: PolicyVerdict): number {
  return answer === 'person' ? 3 : strictness[decision];
}

/**
 * Decides allow, ask or deny for a call: the strictest of the mode, the built-in judgement and the operator's rules. An
 * operator's allow rule only answers what the built-in rules would ask, never what they deny and never another
 * operator's rule. Throws a `ConfigError` for a rule that fails its own examples.
 */
export function createPolicy(options: PolicyOptions): Policy {
  const mode = modes[options.mode];
  const rules = options.rules.map((rule, place) => readRule(rule, place, options.judge));
  const allowing = rules.filter((rule) => rule.decision === 'allow');
  const trying = rules.filter((rule) => rule.decision === 'try');
  const refusing = rules.filter((rule) => rule.decision === 'ask' || rule.decision === 'deny');

  const obeyedBy = createObeyedBy();
  const judge = createReading(options);

  /** Whether the call is tried first: an operator's rule says so, or a layer contains what the judge objects to. */
  function trialOf(
    tool: Tool,
    risk: Risk,
    plain: Judgement | undefined,
    withoutLayer: Text | undefined,
    asks: (rule: ReadyRule, commands: readonly Argv[]) => boolean,
    answersTo: (commands: readonly Argv[]) => readonly ReadyRule[],
  ): { readonly tries?: ReadyRule | undefined; readonly onLayer: boolean; readonly why?: Text | undefined } {
    if (trying.length === 0 && !options.tryFirst) return { onLayer: false };
    // A dry run changes nothing, and input to a running command starts none.
    if (risk.command?.dryRun || (!risk.command && runsCommands(tool))) return { onLayer: false };
    const tries = trying.find((rule) => asks(rule, plain?.commands ?? []));
    const isContained =
      options.tryFirst === true &&
      mode.asks &&
      plain?.contained === true &&
      (plain.decision === 'deny' || answersTo(plain.asked ?? [[null]]).length === 0);
    if (!tries && !isContained) return { onLayer: false };
    const why = withoutLayer ?? whyNotTried(tool, risk);
    return { tries, onLayer: why === undefined, why };
  }

  return {
    decide(tool: Tool, caller: Caller, risk: Risk, withoutLayer?: Text): PolicyVerdict {
      const plain = judge(risk);
      const asks = (rule: ReadyRule, commands: readonly Argv[]) => rule.fits(tool, caller, risk, commands);
      /** The rules that allow every one of these commands; empty if one of them is not allowed. */
      const answersTo = (commands: readonly Argv[]): readonly ReadyRule[] => {
        const answers = commands.map((argv) =>
          allowing.find((rule) => rule.rule.command && asks(rule, [argv])),
        );
        return answers.includes(undefined) ? [] : answers.filter((rule) => rule !== undefined);
      };

      const verdicts: PolicyVerdict[] = [];
      const { tries, onLayer, why } = trialOf(tool, risk, plain, withoutLayer, asks, answersTo);
      const judgement = onLayer ? judge(risk, true) : plain;
      if (tries) {
        const verdict = verdictOf(tries, plain?.commands ?? []);
        verdicts.push(why ? asksInstead(verdict, why) : verdict);
      } else if (onLayer && plain) verdicts.push({ ...shownWithPlace(plain), decision: 'try' });
      /**
       * Adds the verdict for a question: the mode's if the mode never asks, else a matching rule's, else the question
       * (or `lack`).
       */
      const put = (question: PolicyVerdict, answers: () => readonly ReadyRule[]) => {
        const [answer] = question.decision !== 'ask' || !mode.asks ? [] : answers();
        if (question.decision === 'ask' && !mode.asks) verdicts.push(modeAnswers(options.mode));
        else verdicts.push(answer ? verdictOf(answer) : question);
      };
      for (const { id, decision, because, suggestion, fits } of mode.rules) {
        if (fits(tool, risk)) verdicts.push({ decision, rule: id, because, suggestion });
      }
      for (const rule of refusing) {
        if (asks(rule, judgement?.commands ?? [])) verdicts.push(verdictOf(rule, judgement?.commands ?? []));
        else if (judgement?.unread !== undefined && asks(rule, [anyCommand]))
          verdicts.push(asksUnread(verdictOf(rule), judgement.unread));
      }
      if (judgement && judgement.decision !== 'allow') {
        put(shownWithPlace(judgement), () => answersTo(judgement.asked ?? [[null]]));
      }
      const answersToTool = () => allowing.filter((rule) => !rule.rule.command && asks(rule, []));
      const later = risk.writes && obeyedBy(risk.writes);
      for (const question of questionsOf(risk, options.judge, later)) put(question, answersToTool);
      const strictest = [...verdicts, nothingAgainst].reduce((strictest, verdict) =>
        strictnessOf(verdict) > strictnessOf(strictest) ? verdict : strictest,
      );
      return onLayer ? { ...strictest, onLayer } : strictest;
    },
    grantOf(tool: Tool, risk: Risk): string {
      const judgement = judge(risk);
      const asked = (judgement?.commands ?? []).filter((argv) =>
        refusing.some(({ rule }) => rule.command && mayFitCommand(rule.command, argv)),
      );
      const toolAsks =
        risk.ask !== undefined ||
        risk.secret !== undefined ||
        risk.reach !== undefined ||
        risk.passes !== undefined ||
        obeyedBy(risk.writes ?? []) !== undefined ||
        refusing.some((rule) => rule.decision === 'ask' && rule.concerns(tool) && mayBeAbout(rule, risk));
      const all = [...(judgement?.asked ?? []), ...asked];
      return grantText(tool, risk, all, { toolAsks, steeredBy: judgement?.steeredBy });
    },
  };
}

/** The decision and the question that follows share one reading of the command. */
function createReading(options: PolicyOptions) {
  const judged = new WeakMap<Risk, Judgement>();
  const judgedOnLayer = new WeakMap<Risk, Judgement>();
  return (risk: Risk, onLayer = risk.command?.dryRun ?? false): Judgement | undefined => {
    if (!risk.command) return undefined;
    const before = onLayer ? judgedOnLayer : judged;
    const known = before.get(risk);
    if (known) return known;
    const judgement = options.judge.judge(risk.command.line, {
      dialect: options.judgement ?? risk.command.dialect,
      roots: options.roots,
      workingFolder: posix.resolve(options.roots[0] ?? '/', risk.workingFolder ?? '.'),
      variables: risk.command.variables,
      onLayer,
      confinement: options.confinement,
    });
    before.set(risk, judgement);
    return judgement;
  };
}

/** The questions about a call, apart from its command. */
function* questionsOf(risk: Risk, judge: CommandJudge, later?: Text): Generator<PolicyVerdict> {
  if (risk.ask) yield { decision: 'ask', rule: 'tool-asks', because: risk.ask };
  if (risk.reach) yield { decision: 'ask', rule: 'reaches-beyond', because: risk.reach };
  for (const each of risk.passes ?? []) {
    const passed = judgePassed(judge, each);
    if (passed) yield passed;
  }
  if (risk.secret) yield sendsSecret(risk.secret);
  if (later) yield runsOutsideLater(later);
}

/** A rule about paths or hosts does not apply to a call without any, nor one about commands to the tool. */
function mayBeAbout({ rule }: ReadyRule, { reads = [], writes = [], hosts = [] }: Risk): boolean {
  if (rule.command) return false;
  if (rule.path !== undefined && reads.length + writes.length === 0) return false;
  return rule.host === undefined || hosts.length > 0;
}

function whyNotTried(tool: Tool, { command }: Risk): Text | undefined {
  if (!command || !runsCommands(tool))
    return text('only commands can be tried', '試せるのはコマンドだけです');
  if (!command.endsWithCall)
    return text('what continues after its call cannot be tried', '呼び出しの後も続くものは試せません');
  return undefined;
}

/** If the effects cannot be judged on a layer first, ask before the command runs. */
function asksInstead(verdict: PolicyVerdict, why: Text): PolicyVerdict {
  const { because } = verdict;
  return {
    ...verdict,
    decision: 'ask',
    because: text(
      `${because.en}; it is not tried first: ${why.en}`,
      `${because.ja}（先に試せません: ${why.ja}）`,
    ),
  };
}

/** Stands for any command: a part that is known only when it runs. */
const anyCommand: Argv = [null, null];

/** An operator's rule about a command that the line may run without naming it. */
function asksUnread(verdict: PolicyVerdict, unread: string): PolicyVerdict {
  const { because } = verdict;
  return {
    ...verdict,
    decision: 'ask',
    because: text(
      `\`${unread}\` could run what this rule is about: ${because.en}`,
      `\`${unread}\` はこのルールの対象を実行するかもしれません: ${because.ja}`,
    ),
    excerpt: unread,
  };
}

const nothingAgainst: PolicyVerdict = {
  decision: 'allow',
  rule: 'default',
  because: text('no rule applies to it', '該当するルールがありません'),
};

function runsOutsideLater(by: Text): PolicyVerdict {
  return {
    decision: 'ask',
    rule: 'runs-outside-later',
    because: text(
      `it later runs outside the sandbox, without a question: ${by.en} acts on it`,
      `後で確認なしに外で実行されます: ${by.ja}が従います`,
    ),
  };
}

function sendsSecret({ argument, what, isEncoded }: OutgoingSecret): PolicyVerdict {
  return {
    decision: 'ask',
    rule: 'sends-credential',
    because: isEncoded
      ? text(
          `${argument} holds ${what.en}, hidden or encoded, which would be sent to others`,
          `${argument} に${what.ja}が符号化されるなど隠れた形で含まれ、外部に送られます`,
        )
      : text(
          `${argument} holds ${what.en}, which would be sent to others`,
          `${argument} に${what.ja}が含まれ、外部に送られます`,
        ),
  };
}

function modeAnswers(mode: Mode): PolicyVerdict {
  return {
    decision: 'allow',
    rule: `mode-${mode}`,
    because: text('the mode does not ask', 'このモードは確認しません'),
  };
}

function verdictOf({ id, rule }: ReadyRule, commands: readonly Argv[] = []): PolicyVerdict {
  const { command, decision } = rule;
  const meant = command ? commands.filter((argv) => mayFitCommand(command, argv)) : [];
  const excerpt = meant[0]?.map((word) => word ?? '…').join(' ');
  return {
    decision,
    rule: id,
    writtenAt: rule.writtenAt ?? 'settings',
    ...(rule.answer && { answer: rule.answer }),
    because: verbatim(rule.because),
    excerpt,
    others: Math.max(0, meant.length - 1),
  };
}

/** Shows the place in the command that the reader has to mend. */
function shownWithPlace(judgement: Judgement): PolicyVerdict {
  const { decision, rule, because, suggestion, excerpt, asked = [] } = judgement;
  const place = excerpt === undefined ? '' : `\`${excerpt}\`: `;
  const words = text(`${place}${because.en}.`, `${place}${because.ja}。`);
  return { decision, rule, because: words, suggestion, excerpt, others: Math.max(0, asked.length - 1) };
}
