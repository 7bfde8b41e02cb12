import type { Reply, ToolOutput } from '../contract/call.ts';
import { ToolError } from '../contract/error.ts';
import { joinSentences, type Locale, text } from '../contract/text/text.ts';

import { QuestionPending } from './asking/pending.ts';
import type { RunNotes } from './run.ts';

/** A tool's output as a reply. */
export function outputReply(
  output: ToolOutput,
  { meta, told }: Pick<RunNotes, 'meta' | 'told'>,
  locale: Locale,
): Reply {
  const content = [
    ...(output.ahead?.(locale) ?? []),
    ...output.content(locale),
    ...told.map((words) => ({ type: 'text', text: words[locale] }) as const),
  ];
  const shownMeta = Object.keys(meta).length > 0 ? meta : undefined;
  if (output.failure) return { ...errorReply(output.failure, locale), quoted: content, meta: shownMeta };
  return {
    kind: 'output',
    content,
    structured: output.structured,
    isError: output.isError,
    meta: shownMeta,
  };
}

/**
 * Turns a thrown value into a reply. Anything but a `ToolError` becomes `internal` with a fixed sentence and the id
 * under which the log has the rest: never a stranger's words, a host path or a stack.
 */
export function failureReply(thrown: unknown, auditId: string, locale: Locale): Reply {
  if (thrown instanceof QuestionPending) return { kind: 'question', question: thrown.question };
  return thrown instanceof ToolError ? errorReply(thrown, locale) : internalReply(auditId, locale);
}

function errorReply(thrown: ToolError, locale: Locale): Extract<Reply, { readonly kind: 'error' }> {
  const message = thrown.text[locale];
  const suggestion = thrown.suggestion?.[locale];
  const error = thrown.wire ?? {
    code: thrown.code,
    message,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(thrown.details === undefined ? {} : { details: thrown.details }),
  };
  const words = suggestion === undefined ? message : joinSentences(message, suggestion);
  return { kind: 'error', code: thrown.code, text: words, structured: { error } };
}

function internalReply(auditId: string, locale: Locale): Reply {
  const message = text('Something failed inside the server.', 'サーバー内部で問題が起きました。')[locale];
  const suggestion = text(
    `The operator can find the cause with \`sekisho audit search ${auditId}\`.`,
    `運用者は \`sekisho audit search ${auditId}\` で詳細を確認できます。`,
  )[locale];
  return {
    kind: 'error',
    code: 'internal',
    text: joinSentences(message, suggestion),
    structured: { error: { code: 'internal', message, suggestion, details: { audit_id: auditId } } },
  };
}
