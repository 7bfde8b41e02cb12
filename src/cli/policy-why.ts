import { type Checkpoint, openCheckpoint, type PolicyPreview } from '../checkpoint/index.ts';
import { loadSettings } from '../config/load.ts';
import type { Flags } from '../config/settings.ts';
import { ConfigError } from '../contract/error.ts';
import type { AuditEntry, AuditLog } from '../contract/records.ts';
import { cleanLine } from '../contract/text/clean-text.ts';
import { type Locale, type Text, text } from '../contract/text/text.ts';
import { ruleName } from '../ground/questions/rule-name.ts';
import { actorsOf } from '../ground/records/actors.ts';
import { requestsIn, told } from '../ground/records/requests-in.ts';
import { say, sayJson } from './common/say.ts';
import { idsOf, wholeId } from './common/whole-id.ts';

const newestEntries = 10_000;

/** Explains a recorded call: the decision, its rule, and the origin of the data that it sent. */
export async function why(id: string, flags: Flags, { json }: { readonly json?: boolean }): Promise<number> {
  const settings = loadSettings(flags);
  await using checkpoint = await openCheckpoint(settings);
  const entry = await find(id, (await checkpoint.store()).audit);
  const now = await judgedNow(entry, checkpoint);
  if (json) sayJson({ ...entry, now });
  else say(explained(entry, settings.locale, now));
  return 0;
}

/** The verdict of today's rules on the same call, for the local person; undefined if it is no tool call. */
async function judgedNow(entry: AuditEntry, checkpoint: Checkpoint): Promise<PolicyPreview | undefined> {
  const policy = await checkpoint.policy();
  const preview = await policy.test(JSON.stringify({ tool: entry.tool, arguments: entry.arguments ?? {} }));
  return preview.decision === 'invalid' ? undefined : preview;
}

async function find(id: string, log: AuditLog): Promise<AuditEntry> {
  const newest = await log.search({ limit: newestEntries, newestFirst: true });
  const whole = wholeId(id, idsOf(newest));
  const entry = newest.find((each) => each.id === whole);
  if (entry) return entry;
  throw new ConfigError(
    `None of the newest ${newestEntries} calls begins with ${id}; sekisho audit search shows ids.`,
    `最新 ${newestEntries} 件の呼び出しに ${id} で始まるものはありません。ID は sekisho audit search で表示されます。`,
  );
}

function explained(entry: AuditEntry, locale: Locale, now: PolicyPreview | undefined): string {
  const policy = entry.facts?.policy as Partial<PolicyFacts> | undefined;
  const tried = entry.facts?.tried as Partial<PolicyFacts & { came: string }> | undefined;
  const flow = entry.facts?.flow as Partial<FlowFacts> | undefined;
  const lines: [Text, string | undefined][] = [
    [labels.call, `${entry.tool} ${JSON.stringify(entry.arguments ?? {})}`],
    [labels.by, `${actorsOf(entry)} (${entry.sessionId}), ${new Date(entry.atMs).toISOString()}`],
    [labels.outcome, `${entry.code ?? entry.outcome} (${entry.stop})`],
    [labels.verdict, policy?.decision ?? entry.decision],
    [labels.rule, entry.rule && ruleName({ rule: entry.rule, writtenAt: policy?.writtenAt }, locale)],
    [labels.because, policy?.because?.[locale]],
    [
      labels.tried,
      tried?.rule &&
        `${tried.came}: ${ruleName({ ...tried, rule: tried.rule }, locale)}, ${tried.because?.[locale]}`,
    ],
    ...requestsIn(entry.facts).map((request): [Text, string] => [labels.request, told(request)[locale]]),
    [labels.direct, (entry.facts?.direct as Text | undefined)?.[locale]],
    [labels.person, policy?.answer === 'person' ? labels.onlyPerson[locale] : undefined],
    [labels.approver, entry.approver],
    [labels.refusal, typeof entry.facts?.refusal === 'string' ? entry.facts.refusal : undefined],
    [labels.path, flow?.because?.[locale]],
    [labels.before, flow && before(flow)[locale]],
    [labels.now, now && `${now.decision} (${now.rule ?? ''}): ${now.because[locale]}`],
  ];
  return lines
    .filter(([, value]) => value !== undefined)
    .map(([label, value]) => cleanLine(`${label[locale]}: ${value}`))
    .join('\n');
}

/** The facts that `src/call/approve.ts` writes. */
interface PolicyFacts {
  readonly decision: string;
  readonly rule: string;
  readonly writtenAt?: string | undefined;
  readonly answer?: string | undefined;
  readonly because: Text;
}

/** The facts that `src/call/flow/flow.ts` writes. */
interface FlowFacts {
  readonly readPrivate: boolean;
  readonly readOutside: boolean;
  readonly because: Text;
}

function before({ readPrivate, readOutside }: Partial<FlowFacts>): Text {
  if (readOutside && readPrivate)
    return text("private data and strangers' text", '非公開のデータと外部の文章');
  if (readOutside) return text("strangers' text", '外部の文章');
  return readPrivate ? text('private data', '非公開のデータ') : text('nothing', 'なし');
}

const labels = {
  call: text('Call', '呼び出し'),
  by: text('By', '呼び出し元'),
  outcome: text('Outcome', '結果'),
  verdict: text('Verdict', '判定'),
  rule: text('Rule', 'ルール'),
  because: text('Because', '理由'),
  tried: text('Tried first', '先に試した結果'),
  request: text('Request', 'リクエスト'),
  direct: text('Ran on the folders themselves, because', 'フォルダーを直接使った理由'),
  person: text('Answer', '回答'),
  onlyPerson: text('only by a person', '人だけ'),
  now: text('The rules today', '現在のルールでは'),
  approver: text('Answered by', '回答者'),
  refusal: text('Refusal', '拒否の理由'),
  path: text('What it sent', '送信先の由来'),
  before: text('Read before it in its session', 'それまでにセッションで読んだもの'),
} as const;
