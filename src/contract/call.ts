import type { ErrorCode, ToolError } from './error.ts';
import type { Locale } from './text/text.ts';

/** How a call reached us, before anybody asked who sent it. Built by a transport; carries no conclusions. */
export interface Arrival {
  readonly transport: 'stdio' | 'http' | 'cli' | 'ask' | 'console' | 'hook';
  /** One per connection over stdio and per session of an older HTTP client; absent where there is none. */
  readonly connectionId?: string | undefined;
  /** The bearer token as it came. */
  readonly bearer?: string | undefined;
  /** Who holds the sessions, where a holder's tokens change while a session lasts; absent: whoever the token names. */
  readonly holder?: string | undefined;
  /** Tokens of document 002 where they came as headers; arguments are looked at by identify. */
  readonly sessionToken?: string | undefined;
  readonly coordinatorToken?: string | undefined;
  /** The user's prompt, where we know it; no client can set it. */
  readonly said?: string | undefined;
  /** The model that acts for the caller, where a program of ours lends it the caller's tools; no client can set it. */
  readonly model?: string | undefined;
  readonly address?: string | undefined;
  readonly client?: { readonly name: string; readonly version: string } | undefined;
  /** The revision of the protocol that is spoken, where it is one that we know. */
  readonly revision?: string | undefined;
  readonly traceparent?: string | undefined;
  /** Came with `traceparent`, from the same place. */
  readonly tracestate?: string | undefined;
}

/** One call of a tool as a transport hands it over. Nothing in it is checked yet. */
export interface Call {
  readonly tool: string;
  readonly input: unknown;
  /** A transport's own request for a method of the protocol; only such a one reaches unlisted tools. */
  readonly isMethod?: boolean | undefined;
  /** The request's own number on its connection. */
  readonly requestId?: string | number | undefined;
  readonly arrival: Arrival;
  /** When it arrived, by `performance.now()`. */
  readonly beganAt?: number | undefined;
  /** Aborts when the caller cancels or hangs up. */
  readonly signal: AbortSignal;
  /** How long the caller waits for a reply, where that is not as long as most clients do. */
  readonly patienceMs?: number | undefined;
  /**
   * Has the client do the work of its own tool once the call may run; it may have us do it after all (`ours`). Absent: we
   * do it.
   */
  readonly carry?:
    | ((ours: () => Promise<ToolOutput>, signal: AbortSignal) => Promise<ToolOutput>)
    | undefined;
  /** The longest reply that this client shows whole, in bytes of UTF-8; absent: `limits.replyBytes`. */
  readonly replyBytes?: number | undefined;
  /** Told when the tool begins to run: from here on the call may outlast its request. */
  readonly runs?:
    | ((begun: { readonly id: string; readonly sessionId: string; readonly patienceMs: number }) => void)
    | undefined;
  /** Was its request answered already, with an id to fetch the result by? Then nobody is there to be asked. */
  readonly isLeft?: (() => boolean) | undefined;
  /** Tells the caller how far the work is; absent where nobody listens. */
  readonly progress?: ((done: number, total?: number, message?: string) => void) | undefined;
  /** Puts a question to the person behind the client, where the client can do that while the call waits. */
  readonly elicit?: ((question: Question) => Promise<Answer>) | undefined;
  /** Shows that person a form of a proxied server. */
  readonly form?: ((form: Form) => Promise<FormAnswer>) | undefined;
  /** Does the client say that no person is at it? */
  readonly isUnattended?: boolean | undefined;
  /** Can the client answer a question by sending the call again (MCP 2026-07-28 `input_required`)? */
  readonly canRetry?: boolean | undefined;
  /** Such a client's answer, and the state that the question came with. */
  readonly answer?: Answer | undefined;
  readonly questionState?: string | undefined;
  /** Does such a client carry a proxied server's form to its person as well? */
  readonly carriesForms?: boolean | undefined;
  /** What that person filled in. */
  readonly formAnswer?: FormAnswer | undefined;
}

/** A question for a person. All words are already cleaned of escapes and hidden characters. */
export interface Question {
  /** Absent where a proxied server asks. */
  readonly approvalId?: string | undefined;
  /** What that server wants to know. */
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

/** What a proxied server wants to know of a person, as `elicitation/create` has it. The words are cleaned. */
export interface Form {
  readonly message: string;
  readonly requestedSchema: Readonly<Record<string, unknown>>;
}

export interface FormAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** Content as MCP has it. */
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

/** For whom a proxied server means a block, and how much it matters. */
interface Annotated {
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** What a tool returned, before it is made a reply. */
export interface ToolOutput {
  /** What we say of it, before it: none of it is a stranger's. */
  readonly ahead?: ((locale: Locale) => readonly ContentBlock[]) | undefined;
  readonly content: (locale: Locale) => readonly ContentBlock[];
  readonly structured?: Readonly<Record<string, unknown>> | undefined;
  readonly isError?: boolean | undefined;
  /** The call failed; the content is what a proxied server said of it, and is shown after our own words. */
  readonly failure?: ToolError | undefined;
}

/** How a call ended, or the question that it waits for. `meta` becomes `_meta`. */
export type Reply =
  | {
      readonly kind: 'output';
      readonly content: readonly ContentBlock[];
      readonly structured?: Readonly<Record<string, unknown>> | undefined;
      /** A proxied tool's own failure: shown to the model as such, recorded as an error. */
      readonly isError?: boolean | undefined;
      readonly meta?: Readonly<Record<string, unknown>> | undefined;
    }
  | {
      readonly kind: 'error';
      readonly code: ErrorCode;
      /** Message and suggestion in the reader's language: complete on its own. */
      readonly text: string;
      readonly structured: { readonly error: Readonly<Record<string, unknown>> };
      /** A proxied server's own words about the failure, marked as its. */
      readonly quoted?: readonly ContentBlock[] | undefined;
      readonly meta?: Readonly<Record<string, unknown>> | undefined;
    }
  | { readonly kind: 'question'; readonly question: Question };
