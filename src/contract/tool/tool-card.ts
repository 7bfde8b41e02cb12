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

/** What is done where a stranger's words decide where a call goes. */
export type FlowMode = 'ask' | 'deny' | 'off';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a tool says of itself: enough to list it, explain it and write a call of it. */
export interface ToolCard {
  readonly name: string;
  readonly toolset: string;
  readonly category: string;
  readonly title: Text;
  readonly description: Text;
  readonly permission: Permission;
  readonly agentsOnly: boolean;
  readonly unlisted: boolean;
  /** Wanted in nearly every session: a client that keeps tools back until its model searches for them shows it at once. */
  readonly everyday?: boolean | undefined;
  readonly annotations: Annotations;
  /** JSON Schema 2020-12 of the input and output in a language; made on first need and kept. */
  inputSchema(locale: Locale): JsonSchema;
  outputSchema(locale: Locale): JsonSchema | undefined;
  readonly example: Readonly<Record<string, unknown>>;
  readonly secrets: readonly string[];
  /** Absent for tools of our own; a proxied server's name otherwise. */
  readonly server?: string | undefined;
  /** Of a proxied tool: server, remote name and digest of its definition. Approvals hold for it, not for the name. */
  readonly identity?: string | undefined;
  /** Of a proxied tool: what is done where a stranger's words decide where its call goes. */
  readonly flow?: FlowMode | undefined;
  /** Of a proxied tool: roles, kinds of callers and `user:NAME` that may use it beside the local operator. */
  readonly roles?: readonly string[] | undefined;
  /** Why it cannot be used on this machine now; it is listed all the same. */
  readonly unavailable?: Text | undefined;
}

/** What `help` may know of the tools: decided by the same predicate that decides the call. */
export interface ToolGuide {
  list(caller: Caller): readonly GuideEntry[];
  /** Names of tools that the caller may call and that are spelt nearly so, nearest first. */
  nearest(name: string, caller: Caller): readonly string[];
}

export interface GuideEntry {
  readonly tool: ToolCard;
  readonly allowed: boolean;
  readonly reason?: Text | undefined;
}
