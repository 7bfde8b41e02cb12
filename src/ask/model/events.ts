import type { ToolError } from '../../contract/error.ts';
import { joinSentences, type Locale } from '../../contract/text/text.ts';
import { encodeVisibly } from '../../contract/text/visible-json.ts';

/** Events while a question is answered, in order. With `--event-output`, each is one line of JSON. */
export type AskEvent =
  | { readonly type: 'start'; readonly session?: string; readonly model: string }
  | { readonly type: 'reasoning' | 'text'; readonly text: string }
  | { readonly type: 'retry'; readonly attempt: number; readonly wait_ms: number; readonly reason: string }
  | { readonly type: 'round'; readonly round: number }
  | {
      /** Part of the conversation is not sent, because it exceeds the model's context. */
      readonly type: 'shortened';
      readonly left_out_messages: number;
      readonly shortened_results: number;
    }
  | { readonly type: 'call'; readonly call_id: string; readonly tool: string; readonly arguments: unknown }
  | { readonly type: 'progress'; readonly call_id: string; readonly message: string }
  | {
      readonly type: 'result';
      readonly call_id: string;
      readonly tool: string;
      readonly ok: boolean;
      readonly code?: string | undefined;
      /** The approval that a person must give before the same call can succeed: `sekisho approve ID`. */
      readonly approval_id?: string | undefined;
      readonly text: string;
      readonly duration_ms: number;
    }
  | {
      readonly type: 'error';
      readonly code: string;
      readonly message: string;
      readonly retry_after_ms?: number;
    }
  | {
      readonly type: 'end';
      readonly reason: EndReason;
      readonly rounds: number;
      readonly input_tokens?: number | undefined;
      readonly output_tokens?: number | undefined;
    };

/** `rounds`: the most rounds are used up; `length`: the model reached its own limit. */
export type EndReason = 'answered' | 'rounds' | 'length' | 'cancelled' | 'failed';

/** An error for the person: the problem and the remedy. */
export function errorEvent(error: ToolError, locale: Locale): Extract<AskEvent, { type: 'error' }> {
  const wait = error.details?.retry_after_ms;
  return {
    type: 'error',
    code: error.code,
    message: error.suggestion
      ? joinSentences(error.text[locale], error.suggestion[locale])
      : error.text[locale],
    ...(typeof wait === 'number' && { retry_after_ms: wait }),
  };
}

/**
 * An event as a line that is safe for terminals: JSON escapes control characters, and other characters that hide or
 * reorder text are escaped here. A parser still gets every character.
 */
export function encodeEvent(event: AskEvent): string {
  return encodeVisibly(event);
}
