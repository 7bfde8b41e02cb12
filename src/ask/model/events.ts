import type { ToolError } from '../../contract/error.ts';
import { joinSentences, type Locale } from '../../contract/text/text.ts';
import { encodeVisibly } from '../../contract/text/visible-json.ts';

/** What happens while a question is answered, in order. With `--event-output` each is one line of JSON. */
export type AskEvent =
  | { readonly type: 'start'; readonly session?: string; readonly model: string }
  | { readonly type: 'reasoning' | 'text'; readonly text: string }
  | { readonly type: 'retry'; readonly attempt: number; readonly wait_ms: number; readonly reason: string }
  | { readonly type: 'round'; readonly round: number }
  | {
      /** Not all of the conversation is sent: it is more than the model takes. */
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
      /** What a person has to agree to before the same call can succeed: `sekisho approve ID`. */
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

/** `rounds` when the most rounds are used up, `length` when the model ran into its own limit. */
export type EndReason = 'answered' | 'rounds' | 'length' | 'cancelled' | 'failed';

/** An error as the person reads it: what happened, and what to do. */
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
 * An event as a line that any terminal may show: JSON escapes the old control characters, and the rest of what
 * hides or reorders text is escaped here. A program that reads the line gets every character as it was.
 */
export function encodeEvent(event: AskEvent): string {
  return encodeVisibly(event);
}
