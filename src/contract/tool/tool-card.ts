import type { Caller } from '../caller.ts';
import type { Locale, Text } from '../text/text.ts';

/** Who may call a tool (document 002). */
export type Permission =
  | 'unauthenticated'
  | 'coordinator_only'
  | 'manager_only'
  | 'worker_only'
  | 'authenticated'
  | 'chat_only'
  | 'task_only';

/** All four are required: an absent hint reads as the dangerous one. */
export interface Annotations {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

/** The response if untrusted text determines where a call goes. */
export type FlowMode = 'ask' | 'deny' | 'off';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool's description of itself: enough to list it, explain it and write a call of it. */
export interface ToolCard {
  readonly name: string;
  readonly toolset: string;
  readonly category: string;
  readonly title: Text;
  readonly description: Text;
  readonly permission: Permission;
  readonly agentsOnly: boolean;
  readonly unlisted: boolean;
  /** Needed in nearly every session: a client that defers tools until its model searches for them shows it at once. */
  readonly everyday?: boolean | undefined;
  readonly annotations: Annotations;
  /** JSON Schema 2020-12 of the input and output in a language; created on first use and cached. */
  inputSchema(locale: Locale): JsonSchema;
  outputSchema(locale: Locale): JsonSchema | undefined;
  readonly example: Readonly<Record<string, unknown>>;
  readonly secrets: readonly string[];
  /** The proxied server's name; undefined for our own tools. */
  readonly server?: string | undefined;
  /** For a proxied tool: server, remote name and digest of its definition. Approvals hold for these, not its name. */
  readonly identity?: string | undefined;
  /** For a proxied tool: the response if untrusted text determines where its call goes. */
  readonly flow?: FlowMode | undefined;
  /** For a proxied tool: roles, kinds of callers and `user:NAME` that may use it beside the local operator. */
  readonly roles?: readonly string[] | undefined;
  /** Why it cannot be used on this machine now; it is still listed. */
  readonly unavailable?: Text | undefined;
}

/** The tools as `help` may show them, decided by the same predicate as the call. */
export interface ToolGuide {
  list(caller: Caller): readonly GuideEntry[];
  /** Names of tools that the caller may call with a similar spelling, nearest first. */
  nearest(name: string, caller: Caller): readonly string[];
}

export interface GuideEntry {
  readonly tool: ToolCard;
  readonly allowed: boolean;
  readonly reason?: Text | undefined;
}
