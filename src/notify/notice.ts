import type { Detail, NoticeKind } from '../contract/people/notice.ts';
import type { ApprovalRecord } from '../contract/records.ts';
import { cleanLine, cleanText } from '../contract/text/clean-text.ts';
import { type Locale, type Text, text } from '../contract/text/text.ts';
import { counted } from '../ground/counted.ts';
import { withoutSecrets } from '../ground/secrets/without-secrets.ts';

/** The content of one message on one channel, from which each format is made. */
export interface Notice {
  readonly id: string;
  readonly kind: NoticeKind;
  /** Our own text; of the caller's data it contains only a tool's name. */
  readonly title: string;
  /** Lines that quote a question begin with `> `. */
  readonly body: string;
  readonly questions: readonly NoticeQuestion[];
  /** The address for answering; undefined if the server is not reachable from elsewhere. */
  readonly link?: string | undefined;
  /** Each answers the one question of this notice, once. */
  readonly deny?: string | undefined;
  readonly allow?: string | undefined;
  readonly locale: Locale;
  readonly atMs: number;
}

/** A question, as far as `notify.detail` allows. */
export interface NoticeQuestion {
  readonly id: string;
  readonly tool?: string | undefined;
  readonly caller?: string | undefined;
  readonly rule?: string | undefined;
  readonly question?: string | undefined;
}

export interface Composing {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly questions: readonly ApprovalRecord[];
  readonly detail: Detail;
  readonly locale: Locale;
  readonly atMs: number;
}

/** Says how many questions wait, with the particulars that `detail` allows; never credentials. */
export function composeNotice({ id, kind, questions, detail, locale, atMs }: Composing): Notice {
  const told = questions.map((record) => questionOf(record, detail, locale));
  const [only] = told;
  const title =
    kind === 'test'
      ? words.test
      : told.length === 1 && only?.tool !== undefined
        ? words.one(only.tool)
        : words.some(told.length);
  return {
    id,
    kind,
    locale,
    atMs,
    questions: told,
    title: (kind === 'escalation' ? words.unanswered(title) : title)[locale],
    body: kind === 'test' ? words.testBody[locale] : bodyOf(told, locale),
  };
}

function questionOf(record: ApprovalRecord, detail: Detail, locale: Locale): NoticeQuestion {
  if (detail === 'none') return { id: record.id };
  const facts = {
    id: record.id,
    rule: cleanLine(record.rule).slice(0, 100),
    tool: cleanLine(record.tool).slice(0, 80),
    caller: cleanLine(record.principal).slice(0, 80),
  };
  if (detail === 'summary') return facts;
  return { ...facts, question: cut(cleanText(withoutSecrets(record.message[locale])), mostQuestionChars) };
}

function bodyOf(told: readonly NoticeQuestion[], locale: Locale): string {
  const lines = told.slice(0, mostShown).flatMap(({ tool, caller = '', rule = '', question }) => {
    if (tool === undefined) return [];
    const head = words.asked(tool, caller, rule)[locale];
    return question === undefined ? [head] : [head, ...question.split('\n').map((line) => `> ${line}`)];
  });
  const more = told.length - mostShown;
  if (more > 0 && lines.length > 0) lines.push(words.more(more)[locale]);
  return cut(lines.join('\n'), mostBodyChars);
}

export function cut(whole: string, maxChars: number): string {
  return whole.length <= maxChars ? whole : `${whole.slice(0, maxChars).toWellFormed()}…`;
}

const words = {
  test: text('Test notice from Sekisho', 'Sekisho からのテスト通知'),
  testBody: text(
    'Questions that wait for an answer will reach you here.',
    '回答待ちの質問は、ここに届きます。',
  ),
  one: (tool: string) => text(`${tool} waits for your answer`, `${tool} が回答を待っています`),
  some: (count: number) =>
    text(
      count === 1 ? 'A call waits for your answer' : `${counted(count, 'call')} wait for your answer`,
      `${count} 件の呼び出しが回答を待っています`,
    ),
  unanswered: ({ en, ja }: Text) => text(`Nobody has answered: ${en}`, `まだ回答がありません: ${ja}`),
  asked: (tool: string, caller: string, rule: string) =>
    text(
      `${tool}, called by ${caller}, under rule ${rule}`,
      `${tool}（呼び出し元 ${caller}、ルール ${rule}）`,
    ),
  more: (count: number) => text(`and ${count} more`, `ほか ${count} 件`),
};

const mostShown = 5;
const mostQuestionChars = 600;
/** Web push allows four kilobytes, and Telegram 4,096 characters. */
const mostBodyChars = 900;
