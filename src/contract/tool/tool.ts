import type * as z from 'zod';
import type { ContentBlock, Form, FormAnswer, ToolOutput } from '../call.ts';
import type { Caller } from '../caller.ts';
import type { Capabilities, CapabilityName } from '../capabilities/capabilities.ts';
import type { Risk } from '../policy.ts';
import type { Locale, Text } from '../text/text.ts';
import type { CallTrace } from '../trace.ts';
import type { Annotations, Permission, ToolCard } from './tool-card.ts';

/** What every tool is given, whatever it uses. */
export interface BaseContext {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly locale: Locale;
  /** How much a reply should hold at most, as UTF-8, where the caller does not ask for more: the rest goes by a cursor. */
  readonly replyBytes: number;
  /** What was judged, and agreed to where a person was asked: nothing else may be done. */
  readonly judged: Risk;
  /** How long every client still waits for this call; what takes longer should hand out a handle. */
  readonly patienceMs: number;
  progress(done: number, total?: number, message?: string): void;
  /** Adds facts to the call's audit entry: files touched, bytes written. No secrets. */
  audit(facts: Readonly<Record<string, unknown>>): void;
  /** Adds to the reply's `_meta`. */
  meta(facts: Readonly<Record<string, unknown>>): void;
  /** Shows the person behind the client a form; absent where the client cannot. */
  readonly elicit?: ((form: Form) => Promise<FormAnswer>) | undefined;
  /** For requests that are made to other servers; absent where the call is not traced. */
  readonly trace?: CallTrace | undefined;
}

export type ToolContext<U extends CapabilityName> = BaseContext & Pick<Capabilities, U>;

/** A tool as its file writes it; see `defineTool`. */
export interface ToolDefinition<I extends z.ZodObject, O extends z.ZodObject, U extends CapabilityName> {
  readonly name: string;
  /** The group that help shows it in. */
  readonly category: string;
  readonly title: Text;
  readonly description: Text;
  readonly permission: Permission;
  /** A method of the protocol that walks the road like a tool; neither listed nor callable as one. */
  readonly unlisted?: boolean | undefined;
  /** Only agents in a session and the coordinator have a use for it; a person's token does not pass. */
  readonly agentsOnly?: boolean | undefined;
  /** Wanted in nearly every session, so that no model should have to search for it. */
  readonly everyday?: boolean | undefined;
  readonly annotations: Annotations;
  /** All that it changes are files, by what it is lent: a call that comes to change none waits for no disk. */
  readonly changesFiles?: boolean | undefined;
  readonly uses: readonly U[];
  /** English descriptions stand in the schema; Japanese ones in `ja`, by path: `{ 'range.start_line': '…' }`. */
  readonly input: I;
  readonly output: O;
  readonly ja: Readonly<Record<string, string>>;
  readonly example: z.input<I>;
  /** Arguments that are secrets and never recorded or shown. */
  readonly secrets?: readonly string[] | undefined;
  /** What policy needs to answer allow, ask or deny. */
  readonly risk?: ((input: z.output<I>, context: RiskContext<U>) => Risk | Promise<Risk>) | undefined;
  /** The text that a model without structured content reads; default: the output as JSON. */
  readonly render?:
    | ((output: z.output<O>, locale: Locale, replyBytes: number) => string | readonly ContentBlock[])
    | undefined;
  run(input: z.output<I>, context: ToolContext<U>): Promise<z.input<O>>;
}

/** Capabilities that `risk` may look at; it changes nothing. */
export type RiskContext<U extends CapabilityName> = { readonly caller: Caller } & Pick<Capabilities, U>;

/** A tool as the rest of the house sees it: its types are proven inside and erased outside. */
export interface Tool extends ToolCard {
  readonly changesFiles?: boolean | undefined;
  readonly uses: readonly CapabilityName[];
  /** The checked input, or what is wrong with it. */
  check(input: unknown): CheckedInput | InputProblem;
  /** Absent for a tool whose arguments say nothing of interest to policy. */
  readonly risk?: ((input: unknown, context: RiskContext<CapabilityName>) => Promise<Risk>) | undefined;
  run(input: unknown, context: ToolContext<CapabilityName>): Promise<ToolOutput>;
}

export interface CheckedInput {
  readonly ok: true;
  readonly input: unknown;
}

export interface InputProblem {
  readonly ok: false;
  /** Dotted path of the argument; empty for the whole. */
  readonly field: string;
  readonly message: Text;
}

/** A family of tools, loaded on first need. */
export interface Toolset {
  readonly name: string;
  readonly tools: readonly Tool[];
}
