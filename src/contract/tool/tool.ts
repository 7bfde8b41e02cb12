import type * as z from 'zod';
import type { ContentBlock, Form, FormAnswer, ToolOutput } from '../call.ts';
import type { Caller } from '../caller.ts';
import type { Capabilities, CapabilityName } from '../capabilities/capabilities.ts';
import type { Risk } from '../policy.ts';
import type { Locale, Text } from '../text/text.ts';
import type { CallTrace } from '../trace.ts';
import type { Annotations, Permission, ToolCard } from './tool-card.ts';

/** The context of every tool, whatever it uses. */
export interface BaseContext {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly locale: Locale;
  /** How long a reply should be in UTF-8 unless the caller asks for more: the rest goes by a cursor. */
  readonly replyBytes: number;
  /** The risk that was judged and, if a person was asked, approved: the tool may do nothing else. */
  readonly judged: Risk;
  /** How long every client still waits for this call; a longer one should return a handle. */
  readonly patienceMs: number;
  progress(done: number, total?: number, message?: string): void;
  /** Adds facts to the call's audit entry: files touched, bytes written. No secrets. */
  audit(facts: Readonly<Record<string, unknown>>): void;
  /** Adds to the reply's `_meta`. */
  meta(facts: Readonly<Record<string, unknown>>): void;
  /** Shows a form to the person behind the client; undefined if the client cannot. */
  readonly elicit?: ((form: Form) => Promise<FormAnswer>) | undefined;
  /** For requests to other servers; undefined if the call is not traced. */
  readonly trace?: CallTrace | undefined;
}

export type ToolContext<U extends CapabilityName> = BaseContext & Pick<Capabilities, U>;

/** A tool as written in its file; see `defineTool`. */
export interface ToolDefinition<I extends z.ZodObject, O extends z.ZodObject, U extends CapabilityName> {
  readonly name: string;
  /** The group in which help shows it. Default: the toolset's name. */
  readonly category?: string | undefined;
  readonly title: Text;
  readonly description: Text;
  /** Default: `authenticated`. */
  readonly permission?: Permission | undefined;
  /** A protocol method that is checked like a tool; neither listed nor callable as one. */
  readonly unlisted?: boolean | undefined;
  /** Only useful to agents in a session and the coordinator; a person's token is refused. */
  readonly agentsOnly?: boolean | undefined;
  /** Needed in nearly every session, so that models need not search for it. */
  readonly everyday?: boolean | undefined;
  readonly annotations: Annotations;
  /** The tool changes only files, through its capabilities, so a call that changes none does not wait for the disk. */
  readonly changesFiles?: boolean | undefined;
  readonly uses: readonly U[];
  /** English descriptions are in the schema; Japanese ones in `ja`, by path: `{ 'range.start_line': '…' }`. */
  readonly input: I;
  readonly output: O;
  readonly ja: Readonly<Record<string, string>>;
  readonly example: z.input<I>;
  /** Secret arguments, never recorded or shown. */
  readonly secrets?: readonly string[] | undefined;
  /** The facts from which the policy answers allow, ask or deny. */
  readonly risk?: ((input: z.output<I>, context: RiskContext<U>) => Risk | Promise<Risk>) | undefined;
  /** The text for a model that does not read structured content; default: the output as JSON. */
  readonly render?:
    | ((output: z.output<O>, locale: Locale, replyBytes: number) => string | readonly ContentBlock[])
    | undefined;
  run(input: z.output<I>, context: ToolContext<U>): Promise<z.input<O>>;
}

/** Capabilities that `risk` may read from; it changes nothing. */
export type RiskContext<U extends CapabilityName> = { readonly caller: Caller } & Pick<Capabilities, U>;

/** A tool as other rooms see it: with its types checked inside and erased outside. */
export interface Tool extends ToolCard {
  readonly changesFiles?: boolean | undefined;
  readonly uses: readonly CapabilityName[];
  /** The checked input, or what is wrong with it. */
  check(input: unknown): CheckedInput | InputProblem;
  /** Undefined for a tool whose arguments do not matter to policy. */
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
