import type { Answer, FormAnswer, Question } from '../contract/call.ts';
import { type Locale, text } from '../contract/text/text.ts';
import { isRecord } from '../ground/is-record.ts';
import type { Params } from './jsonrpc.ts';

/** The key of a question in `inputRequests` and `inputResponses`. */
export const questionKey = 'approval';
/** The key of a proxied server's form there. */
export const formKey = 'form';

/** A question as the parameters of `elicitation/create`. */
export function elicitationOf(question: Question, locale: Locale): Params {
  return {
    mode: 'form',
    message: question.message,
    requestedSchema: {
      type: 'object',
      properties: {
        // A plain enum: revisions before 2025-11-25 have no titled choices.
        scope: {
          type: 'string',
          title: words.title[locale],
          description: words.description[locale],
          enum: ['once', 'hour', 'session', 'no'],
          default: 'once',
        },
        instead: { type: 'string', title: words.instead[locale], maxLength: 500 },
      },
    },
  };
}

const words = {
  title: text('Allow', '許可する範囲'),
  description: text(
    'once: only this call. hour, session: similar calls for an hour, or until the session ends. no: not at all.',
    'once: この呼び出しのみ。hour、session: 1 時間、またはセッションが終わるまでの同様の呼び出し。no: 許可しない。',
  ),
  instead: text('Do this instead (denies the call)', '代わりにすること（許可しない場合）'),
};

/** The requests of an `input_required` result. */
export function inputRequestsOf(question: Question, locale: Locale): Params {
  const { form } = question;
  const method = 'elicitation/create';
  if (form) return { [formKey]: { method, params: { mode: 'form', ...form } } };
  return { [questionKey]: { method, params: elicitationOf(question, locale) } };
}

/** The person's answer. Anything but a clear yes or no counts as cancelling. */
export function answerOf(result: unknown): Answer {
  if (!isRecord(result)) return { action: 'cancel' };
  if (result.action === 'decline') return { action: 'decline' };
  if (result.action !== 'accept') return { action: 'cancel' };
  const { scope, instead } = isRecord(result.content) ? result.content : {};
  // A text in `instead` means no, whatever the other fields say.
  if (typeof instead === 'string' && instead.trim() !== '') return { action: 'decline', instead };
  if (scope === 'no') return { action: 'decline' };
  return { action: 'accept', scope: scope === 'session' || scope === 'hour' ? scope : 'once' };
}

/** The same for a proxied server's form, whose content is passed on unchanged. */
export function formAnswerOf(result: unknown): FormAnswer {
  if (!isRecord(result)) return { action: 'cancel' };
  if (result.action === 'decline') return { action: 'decline' };
  if (result.action !== 'accept') return { action: 'cancel' };
  return { action: 'accept', content: isRecord(result.content) ? result.content : {} };
}

/** Whether the client can show a form. A bare `elicitation: {}` means forms, as before modes existed. */
export function canAsk(capabilities: Params): boolean {
  const { elicitation } = capabilities;
  return isRecord(elicitation) && (elicitation.form !== undefined || elicitation.url === undefined);
}
