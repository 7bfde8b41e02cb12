import type { Caller } from '../../contract/caller.ts';
import type { DecisionKind, Dialect } from '../../contract/capabilities/judgement.ts';
import type { EffectRule } from '../../contract/effects.ts';
import type {
  Mode,
  PolicyDecision,
  PolicyRule,
  PolicyVerdict,
  Risk,
  RuleLine,
} from '../../contract/policy.ts';
import { type Locale, type Text, text } from '../../contract/text/text.ts';
import type { InputProblem, Tool } from '../../contract/tool/tool.ts';
import type { FlowMode } from '../../contract/tool/tool-card.ts';
import { orElse } from '../../ground/or-else.ts';
import type { Policy } from '../approve.ts';
import { outgoingSecret } from '../flow/outgoing.ts';
import { reachOf } from '../flow/reach.ts';
import { type BuiltinEffectRule, createBuiltinEffectRules } from './effects/builtin.ts';
import { ruleOn } from './rule-on.ts';

/** The rules in force, as `sekisho policy explain` shows them. */
export interface PolicyExplanation {
  readonly mode: Mode;
  readonly meaning: Text;
  readonly operator: readonly (PolicyRule & { readonly id: string })[];
  readonly builtin: readonly RuleLine[];
  /** Rules about effects; the built-in ones ask. */
  readonly effects: {
    readonly operator: readonly EffectRule[];
    readonly builtin: readonly Pick<BuiltinEffectRule, 'id' | 'because' | 'ofTried'>[];
  };
  /** How every command is read; undefined if each toolset decides. */
  readonly judgement?: Dialect | undefined;
  /** The hosts that commands may reach: sets by their names, other hosts by the key that lists them. */
  readonly network: readonly NamedHosts[];
}

interface NamedHosts {
  readonly name: string;
  readonly hosts: readonly string[];
}

/** Lists the mode, the operator's rules, and the built-in ones with their decision in this mode. */
export function explainPolicy(
  parts: Pick<PolicyExplanation, 'mode' | 'builtin' | 'network' | 'judgement'> & {
    readonly rules: readonly PolicyRule[];
    readonly effectRules: readonly EffectRule[];
  },
): PolicyExplanation {
  const inMode = (decision: DecisionKind): DecisionKind =>
    parts.mode === 'full-access' && decision === 'ask' ? 'allow' : decision;
  return {
    mode: parts.mode,
    meaning: meanings[parts.mode],
    operator: parts.rules.map((rule, place) => ({ ...rule, id: rule.id ?? `rules[${place}]` })),
    builtin: parts.builtin.map((rule) => ({ ...rule, decision: inMode(rule.decision) })),
    effects: {
      operator: parts.effectRules,
      builtin: createBuiltinEffectRules().map(({ id, because, ofTried }) => ({
        id,
        because,
        ...((ofTried || parts.mode === 'full-access') && { ofTried: true }),
      })),
    },
    network: parts.network,
    judgement: parts.judgement,
  };
}

/** The explanation as lines for a terminal. */
export function renderExplanation(explained: PolicyExplanation, locale: Locale): string {
  const lines = [
    `${labels.mode[locale]}: ${explained.mode} (${explained.meaning[locale]})`,
    `${labels.judgement[locale]}: ${explained.judgement ?? labels.byTool[locale]}`,
    '',
    `${labels.operator[locale]}:`,
  ];
  if (explained.operator.length === 0) lines.push(`  ${labels.none[locale]}`);
  for (const rule of explained.operator) {
    const { id, decision, because, match: _match, notMatch: _notMatch, writtenAt, ...about } = rule;
    const at = writtenAt === undefined ? '' : `  ${writtenAt}`;
    lines.push(`  ${decision.padEnd(5)} ${id}: ${because}  ${JSON.stringify(about)}${at}`);
  }
  lines.push('', `${labels.network[locale]}:`);
  if (explained.network.length === 0) lines.push(`  ${labels.none[locale]}`);
  for (const { name, hosts } of explained.network) lines.push(`  ${name}: ${hosts.join(', ')}`);
  for (const decision of ['deny', 'ask', 'allow'] as const) {
    const rules = explained.builtin.filter((rule) => rule.decision === decision);
    if (rules.length === 0) continue;
    lines.push('', `${labels.builtin[locale]} (${decision}):`);
    for (const rule of rules) {
      const from = rule.from === undefined ? '' : ` [${labels.from(rule.from)[locale]}]`;
      lines.push(`  ${rule.id}${from}: ${rule.because[locale]}`);
      if (rule.examples.length > 0) lines.push(`    ${rule.examples.join('   ')}`);
    }
  }
  lines.push('', `${labels.effects[locale]}:`);
  for (const { id, then, because, effect, writtenAt = '' } of explained.effects.operator)
    lines.push(
      `  ${then.padEnd(5)} ${id}: ${because === undefined ? '' : `${because}  `}${JSON.stringify(effect)}  ${writtenAt}`.trimEnd(),
    );
  for (const { id, because, ofTried } of explained.effects.builtin)
    lines.push(`  ask   ${id}${ofTried ? ` [${labels.ofTried[locale]}]` : ''}: ${because[locale]}`);
  return lines.join('\n');
}

/** The outcome that a call would have, and the rule. */
export interface PolicyPreview
  extends Pick<PolicyVerdict, 'writtenAt' | 'answer' | 'because' | 'suggestion' | 'onLayer'> {
  readonly tool: string;
  readonly decision: PolicyDecision | 'invalid';
  /** The rule that decides, or `authorize` if the caller may not call the tool; undefined if it is no call. */
  readonly rule?: string | undefined;
  /** With `ask`: what a standing approval would allow. */
  readonly grant?: string | undefined;
  /** The further check if a stranger's words decide where the call goes, which only a session knows. */
  readonly flow?: FlowMode | undefined;
}

export interface PreviewParts {
  find(name: string): Tool | undefined;
  readonly caller: Caller;
  /** Returns why the caller may not call the tool; undefined if it may. */
  refusal(tool: Tool): Text | undefined;
  risk(tool: Tool, input: unknown): Promise<Risk>;
  readonly policy: Policy;
  whyNoLayer(): Promise<Text | undefined>;
}

/** Predicts the outcome of a call given as JSON, `{"tool": "bash", "arguments": {…}}`. Nothing is run or recorded. */
export async function testPolicy(json: string, parts: PreviewParts): Promise<PolicyPreview> {
  const call = readCall(json);
  if (!call) return invalid('', notACall);
  const tool = parts.find(call.tool);
  if (!tool)
    return invalid(
      call.tool,
      text(`there is no tool named ${call.tool}`, `${call.tool} という名前のツールはありません`),
    );
  const refusal = parts.refusal(tool);
  if (refusal) return { tool: tool.name, decision: 'deny', rule: 'authorize', because: refusal };
  const checked = tool.check(call.input);
  if (!checked.ok) return invalid(tool.name, problemText(checked));
  const secret = outgoingSecret(tool, checked.input);
  const risk = {
    ...(await parts.risk(tool, checked.input)),
    ...reachOf(tool, checked.input),
    ...(secret && { secret }),
  };
  const { onLayer, ...verdict } = await ruleOn(parts.policy, tool, parts.caller, risk, parts.whyNoLayer);
  const grant =
    verdict.decision === 'ask' && !verdict.answer ? parts.policy.grantOf(tool, risk, verdict) : undefined;
  const flow = tool.annotations.readOnly ? undefined : tool.flow;
  return {
    tool: tool.name,
    ...verdict,
    ...(onLayer && { onLayer }),
    ...(grant === undefined ? {} : { grant }),
    ...(flow === undefined ? {} : { flow }),
  };
}

/** The preview as lines for a terminal. */
export function renderPreview(preview: Omit<PolicyPreview, 'tool'>, locale: Locale): string {
  const rule = preview.rule === undefined ? '' : ` (${labels.rule[locale]} ${preview.rule})`;
  const lines = [`${preview.decision}${rule}: ${preview.because[locale]}`];
  if (preview.suggestion) lines.push(preview.suggestion[locale]);
  // Settings passed as a value have no file to name.
  if (preview.writtenAt !== undefined && preview.writtenAt !== 'settings')
    lines.push(`${labels.writtenAt[locale]}: ${preview.writtenAt}`);
  if (preview.answer === 'person') lines.push(labels.person[locale]);
  if (preview.grant !== undefined) lines.push(`${labels.grant[locale]}: ${preview.grant}`);
  if (preview.onLayer) lines.push(labels.onLayer[locale]);
  if (preview.flow && preview.flow !== 'off') lines.push(flowLines[preview.flow][locale]);
  return lines.join('\n');
}

function readCall(json: string): { readonly tool: string; readonly input: unknown } | undefined {
  // Invalid JSON: the caller explains the format.
  const call: unknown = orElse(() => JSON.parse(json), undefined);
  if (typeof call !== 'object' || call === null) return undefined;
  // `name` is MCP's own key, so that a logged request can be pasted.
  const { tool, name, arguments: input = {} } = call as Record<string, unknown>;
  const named = tool ?? name;
  return typeof named === 'string' ? { tool: named, input } : undefined;
}

function invalid(tool: string, because: Text): PolicyPreview {
  return { tool, decision: 'invalid', because };
}

function problemText({ field, message }: InputProblem): Text {
  const place = field === '' ? '' : `${field}: `;
  return text(`${place}${message.en}`, `${place}${message.ja}`);
}

const flowLines = {
  ask: text(
    'Flow: in a session that read strangers’ text, a target that comes from there is asked about.',
    'フロー: 外部の文章を読んだセッションでは、そこに由来する宛先を確認します。',
  ),
  deny: text(
    'Flow: in a session that read strangers’ text, a target that comes from there is denied.',
    'フロー: 外部の文章を読んだセッションでは、そこに由来する宛先を拒否します。',
  ),
} as const;

const notACall = text(
  'the call must be JSON such as {"tool": "bash", "arguments": {"command": "ls"}}',
  '呼び出しは {"tool": "bash", "arguments": {"command": "ls"}} のような JSON でなければなりません',
);

const meanings: Readonly<Record<Mode, Text>> = {
  'read-only': text('tools that only read', '読み取りだけのツール'),
  'workspace-write': text(
    'reads and writes inside the roots, asks about what is risky',
    'ルート内の読み書きができ、危険な操作は確認します',
  ),
  'full-access': text(
    'does not ask; what the built-in rules deny stays denied',
    '確認しません。組み込みルールが拒否するものは拒否されたままです',
  ),
};

const labels = {
  mode: text('Mode', 'モード'),
  operator: text("The operator's rules", '運用者のルール'),
  builtin: text('Built-in rules', '組み込みルール'),
  none: text('none', 'なし'),
  network: text(
    'Hosts that commands can reach (process.network)',
    'コマンドが接続できるホスト (process.network)',
  ),
  judgement: text('How commands are read (process.judgement)', 'コマンドの読み方 (process.judgement)'),
  byTool: text(
    'by tool; plain for bash in your project, strict in its own folder, listed for shell_exec',
    'ツールごと。プロジェクト内の bash は plain、専用フォルダーの bash は strict、shell_exec は listed',
  ),
  from: (dialect: Dialect) => text(`from ${dialect} on`, `${dialect} 以上`),
  effects: text(
    'Rules about what a command did on a layer, for every command that runs on one',
    'レイヤー上でコマンドが行ったことについてのルール (レイヤー上で動くすべてのコマンドが対象)',
  ),
  ofTried: text('only what is tried', '試したものだけ'),
  onLayer: text(
    'It runs on a layer first; what it does there decides whether its changes land.',
    '先にレイヤー上で実行し、行った変更を見て反映するかどうかを決めます。',
  ),
  rule: text('rule', 'ルール'),
  writtenAt: text('The rule is written at', 'ルールの場所'),
  person: text('Only a person answers this.', 'この質問に回答できるのは人だけです。'),
  grant: text('Allowing similar calls would allow', '同様の呼び出しをすべて許可した場合に許可される範囲'),
} as const;
