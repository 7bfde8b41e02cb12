import type { AskAnswer } from '../contract/ask.ts';
import type { ToolError } from '../contract/error.ts';
import type { Locale } from '../contract/text/text.ts';
import { encodeVisibly } from '../contract/text/visible-json.ts';
import type { Asked } from './loop.ts';
import { type AskEvent, encodeEvent } from './model/events.ts';

/** Passes events on as lines and collects those that the whole answer includes. */
export interface Report {
  onEvent(event: AskEvent): void;
  readonly calls: readonly Readonly<Record<string, unknown>>[];
  readonly pending: readonly Readonly<Record<string, unknown>>[];
  readonly reasoning: string;
  readonly end: Extract<AskEvent, { type: 'end' }> | undefined;
}

/** With `reasoning`, the model's thoughts are included. */
export function createReport(onLine: (line: string) => void, withReasoning: boolean): Report {
  const calls: Readonly<Record<string, unknown>>[] = [];
  const pending: Readonly<Record<string, unknown>>[] = [];
  let reasoning = '';
  let end: Report['end'];
  return {
    calls,
    pending,
    get reasoning() {
      return reasoning;
    },
    get end() {
      return end;
    },
    onEvent(event) {
      if (event.type === 'reasoning') {
        if (!withReasoning) return;
        reasoning += event.text;
      }
      if (event.type === 'result') {
        const { tool, ok, code, approval_id } = event;
        calls.push({ tool, ok, ...(code !== undefined && { code }) });
        if (approval_id !== undefined) pending.push({ tool, approval_id });
      }
      if (event.type === 'end') end = event;
      onLine(encodeEvent(event));
    },
  };
}

export interface Answered {
  readonly asked: Asked;
  readonly session: string;
  readonly model: string;
  readonly report: Report;
  readonly locale: Locale;
}

/** The whole answer as one value. */
export function bodyOf({ asked, session, model, report, locale }: Answered): AskAnswer {
  const { end, reasoning, calls, pending } = report;
  const last = asked.messages.at(-1);
  const words = last?.role === 'assistant' && last.text !== '…' ? last.text : '';
  const body = {
    ...(asked.error ? { error: errorBody(asked.error, locale) } : {}),
    ...(words !== '' && { answer: words }),
    reason: asked.reason,
    session,
    model,
    rounds: end?.rounds ?? 0,
    ...(end?.input_tokens !== undefined && { input_tokens: end.input_tokens }),
    ...(end?.output_tokens !== undefined && { output_tokens: end.output_tokens }),
    ...(reasoning !== '' && { reasoning }),
    ...(calls.length > 0 && { calls }),
    ...(pending.length > 0 && { pending }),
  };
  return { json: encodeVisibly(body), ...(asked.error && { failure: { code: asked.error.code } }) };
}

/** An error for programs: the same fields as a failed call's. */
function errorBody(error: ToolError, locale: Locale): Readonly<Record<string, unknown>> {
  return {
    code: error.code,
    message: error.text[locale],
    ...(error.suggestion && { suggestion: error.suggestion[locale] }),
    ...(error.details && { details: error.details }),
  };
}
