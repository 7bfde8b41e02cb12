import { ToolError } from '../../contract/error.ts';
import type { PolicyVerdict, Risk } from '../../contract/policy.ts';
import type { ApprovalRecord } from '../../contract/records.ts';
import { joinSentences, type Text, text } from '../../contract/text/text.ts';
import type { Tool } from '../../contract/tool/tool.ts';
import { ruleForModel } from '../../ground/questions/rule-name.ts';

/** A rule's refusal in full: the call, the reason, the rule, and an alternative. */
export function refused(tool: Tool, risk: Risk, verdict: PolicyVerdict): ToolError {
  const { because, rule, suggestion, excerpt } = verdict;
  const named = ruleForModel(verdict);
  const target = risk.writes?.[0] ?? risk.reads?.[0] ?? risk.hosts?.[0];
  // A built-in rule's reason begins with the part of the command that it is about.
  const what = excerpt !== undefined && because.en.includes(excerpt) ? '' : whatOf(tool, excerpt ?? target);
  return new ToolError(
    'denied',
    joinSentences(`${what}${sentence(because.en, '.')}`, `Denied by rule ${named.en}.`),
    joinSentences(`${what}${sentence(because.ja, '。')}`, `ルール ${named.ja}による拒否です。`),
    suggestion ?? insteadOfRule,
    { rule },
  );
}

const insteadOfRule = text(
  'Find another way, or ask the operator about the rule.',
  'このルールに触れない方法を探すか、ルールについて運用者に尋ねてください。',
);

function whatOf(tool: Tool, target: string | undefined): string {
  return target === undefined ? `${tool.name}: ` : `${tool.name} ${target}: `;
}

function sentence(words: string, end: string): string {
  return /[.!?。！？]$/u.test(words) ? words : `${words}${end}`;
}

/** A person's refusal. */
export function declined(pending: ApprovalRecord): ToolError {
  return new ToolError('denied', 'A person was asked and refused.', '人に確認し、拒否されました。', {
    suggestion: pending.instead === undefined ? another : insteadOf(pending.instead),
    details: {
      ...detailsOf(pending, pending.decidedBy),
      ...(pending.instead !== undefined && { instead: pending.instead }),
    },
  });
}

const another = text('Find another way, or ask them why.', '別の方法を探すか、理由を尋ねてください。');

/** The person's own words, marked as such: they come from the person who answered, not from a file or a page. */
function insteadOf(words: string): Text {
  return text(`The person says what to do instead: "${words}"`, `ユーザーからの指示: 「${words}」`);
}

/** The person closed the dialog: the question is withdrawn, and the same call asks again. */
export function dismissed(pending: ApprovalRecord, by: string): ToolError {
  return new ToolError(
    'denied',
    'The person closed the question without an answer.',
    'ユーザーが質問に答えずに閉じました。',
    text(
      'Ask them what they want before you send it again; that leads to a new question.',
      'もう一度送る前に、どうしてほしいかを尋ねてください。送ると、改めて確認されます。',
    ),
    detailsOf(pending, by),
  );
}

/** The question is open. `declinedBy`: a program that declined without a person, which does not count. */
export function stillPending(pending: ApprovalRecord, command: string, declinedBy?: string): ToolError {
  const words = pending.answer === 'person' ? onlyPerson : anybody;
  return new ToolError('approval_pending', declinedBy === undefined ? words : withMachine(words), {
    suggestion: text(
      `Ask them to run \`${command}\`, then send the same call again.`,
      `\`${command}\` の実行を頼み、その後で同じ呼び出しを送ってください。`,
    ),
    details: detailsOf(pending, declinedBy),
  });
}

const anybody = text('A person must approve this first.', '先に人の承認が必要です。');
const onlyPerson = text(
  'A person must approve this first, in a terminal or the console.',
  '先に、ターミナルまたはコンソールで人の承認を得る必要があります。',
);

function withMachine(words: Text): Text {
  return text(
    joinSentences(words.en, 'This client answered the question by itself; no person saw it.'),
    joinSentences(words.ja, 'このクライアントは、人に表示せずに自動で回答しました。'),
  );
}

function detailsOf(pending: ApprovalRecord, answeredBy: string | undefined) {
  return {
    approval_id: pending.id,
    rule: pending.rule,
    ...(pending.answer && { answer: pending.answer }),
    ...(answeredBy !== undefined && { answered_by: answeredBy }),
  };
}
