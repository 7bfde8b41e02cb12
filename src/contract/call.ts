import type { ErrorCode, ToolError } from './error.ts';
import type { Locale } from './text/text.ts';

/** How a call reached us, before the caller is identified. Built by a transport; carries no conclusions. */
export interface Arrival {
  readonly transport: 'stdio' | 'http' | 'cli' | 'ask' | 'console' | 'hook';
  /** One per connection over stdio and per session of an older HTTP client; undefined if there is neither. */
  readonly connectionId?: string | undefined;
  /** The bearer token as it arrived. */
  readonly bearer?: string | undefined;
  /** The owner of the sessions, if their tokens change while a session lasts. Undefined: the principal of the token. */
  readonly holder?: string | undefined;
  /** Tokens of document 002 that arrived as headers; `identify` looks for them in the arguments. */
  readonly sessionToken?: string | undefined;
  readonly coordinatorToken?: string | undefined;
  /** The user's prompt, if known; no client can set it. */
  readonly said?: string | undefined;
  /** The model that acts for the caller, if our program gives it the caller's tools; no client can set it. */
  readonly model?: string | undefined;
  readonly address?: string | undefined;
  readonly client?: { readonly name: string; readonly version: string } | undefined;
  /** The negotiated protocol revision, if it is one that we know. */
  readonly revision?: string | undefined;
  readonly traceparent?: string | undefined;
  /** From the same source as `traceparent`. */
  readonly tracestate?: string | undefined;
}

/** One call of a tool as a transport hands it over. Nothing in it is checked yet. */
export interface Call {
  readonly tool: string;
  readonly input: unknown;
  /** A transport's own request for a protocol method; only such calls reach unlisted tools. */
  readonly isMethod?: boolean | undefined;
  /** The id of its record, if the transport had to know it before. */
  readonly auditId?: string | undefined;
  /** The request's id on its connection. */
  readonly requestId?: string | number | undefined;
  readonly arrival: Arrival;
  /** When it arrived, by `performance.now()`. */
  readonly beganAt?: number | undefined;
  /** Aborts when the caller cancels or hangs up. */
  readonly signal: AbortSignal;
  /** How long the caller waits for a reply, if that differs from most clients. */
  readonly patienceMs?: number | undefined;
  /** Has the client run its own tool once the call may run, unless it asks us to (`ours`). Undefined: we run it. */
  readonly carry?:
    | ((ours: () => Promise<ToolOutput>, signal: AbortSignal) => Promise<ToolOutput>)
    | undefined;
  /** The longest reply that this client shows whole, in bytes of UTF-8. Default: `limits.replyBytes`. */
  readonly replyBytes?: number | undefined;
  /** Called when the tool begins to run: from then on the call may outlast its request. */
  readonly runs?:
    | ((begun: { readonly id: string; readonly sessionId: string; readonly patienceMs: number }) => void)
    | undefined;
  /** Whether the request was already answered with an id to fetch the result by. Then no person can be asked. */
  readonly isLeft?: (() => boolean) | undefined;
  /** Reports the call's progress; undefined if the client does not want it. */
  readonly progress?: ((done: number, total?: number, message?: string) => void) | undefined;
  /** Asks the person behind the client, if the client supports questions while the call waits. */
  readonly elicit?: ((question: Question) => Promise<Answer>) | undefined;
  /** Shows that person a form of a proxied server. */
  readonly form?: ((form: Form) => Promise<FormAnswer>) | undefined;
  /** Whether the client says that it runs unattended. */
  readonly isUnattended?: boolean | undefined;
  /** Whether the client can answer a question by sending the call again (MCP 2026-07-28 `input_required`). */
  readonly canRetry?: boolean | undefined;
  /** Such a client's answer, and the state that the question came with. */
  readonly answer?: Answer | undefined;
  readonly questionState?: string | undefined;
  /** Whether such a client can also show a proxied server's form. */
  readonly carriesForms?: boolean | undefined;
  /** The person's input to that form. */
  readonly formAnswer?: FormAnswer | undefined;
}

/** A question for a person. All its text is already cleaned of escapes and hidden characters. */
export interface Question {
  /** Undefined if a proxied server asks. */
  readonly approvalId?: string | undefined;
  /** The form of that server. */
  readonly form?: Form | undefined;
  readonly message: string;
  /** Opaque; comes back with the answer on the newest protocol. */
  readonly state: string;
}

export interface Answer {
  readonly action: 'accept' | 'decline' | 'cancel';
  /** With `accept`: for this call, for the session, or for calls like it in the next hour. */
  readonly scope?: 'once' | 'session' | 'hour' | undefined;
  /** With `decline`: what to do instead, in the person's words. */
  readonly instead?: string | undefined;
}

/** A proxied server's request for input from a person (`elicitation/create`). Its text is cleaned. */
export interface Form {
  readonly message: string;
  readonly requestedSchema: Readonly<Record<string, unknown>>;
}

export interface FormAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** Content as in MCP. */
export type ContentBlock =
  | ({ readonly type: 'text'; readonly text: string } & Annotated)
  | ({ readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string } & Annotated)
  | ({
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly title?: string;
      readonly description?: string;
      readonly mimeType?: string;
      readonly size?: number;
    } & Annotated)
  | ({
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly mimeType?: string } & (
        | { readonly text: string }
        | { readonly blob: string }
      );
    } & Annotated);

/** A proxied server's hints about a block: its audience and priority. */
interface Annotated {
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** The result of a tool, before it becomes a reply. */
export interface ToolOutput {
  /** Our own text, shown before the content. It contains no text of others. */
  readonly ahead?: ((locale: Locale) => readonly ContentBlock[]) | undefined;
  readonly content: (locale: Locale) => readonly ContentBlock[];
  readonly structured?: Readonly<Record<string, unknown>> | undefined;
  readonly isError?: boolean | undefined;
  /** The call failed. The content is the proxied server's text about it, shown after our own. */
  readonly failure?: ToolError | undefined;
}

/** How a call ended, or the question that it waits for. `meta` becomes `_meta`. */
export type Reply =
  | {
      readonly kind: 'output';
      readonly content: readonly ContentBlock[];
      readonly structured?: Readonly<Record<string, unknown>> | undefined;
      /** A proxied tool failed: shown to the model as an error and recorded as one. */
      readonly isError?: boolean | undefined;
      readonly meta?: Readonly<Record<string, unknown>> | undefined;
    }
  | {
      readonly kind: 'error';
      readonly code: ErrorCode;
      /** Message and suggestion in the reader's language, readable without the structured part. */
      readonly text: string;
      readonly structured: { readonly error: Readonly<Record<string, unknown>> };
      /** A proxied server's own text about the failure, marked as such. */
      readonly quoted?: readonly ContentBlock[] | undefined;
      readonly meta?: Readonly<Record<string, unknown>> | undefined;
    }
  | { readonly kind: 'question'; readonly question: Question };
