import type { Text } from './text/text.ts';
import type { FlowMode } from './tool/tool-card.ts';

/** A server behind this one, as the operator's configuration says it: paths absolute, variables filled in. */
export interface ServerSettings {
  /** First part of its tools' names, `github` of `github__create_issue`; holds no `__`. */
  readonly name: string;
  readonly enabled: boolean;
  readonly start: StdioStart | HttpStart;
  /** Remote names of the tools that are shown; absent: all. */
  readonly allow?: readonly string[] | undefined;
  readonly deny: readonly string[];
  /** The operator's word on single tools, by remote name. */
  readonly tools: ReadonlyMap<string, ToolOverride>;
  /** Roles, kinds of callers and `user:NAME` that may use it beside the local operator. */
  readonly roles: readonly string[];
  /** Does a call that may change something ask a person first? */
  readonly ask: 'changes' | 'never';
  /** What is done where a stranger's words decide where a call goes. */
  readonly flow: FlowMode;
  /** Believe what the server says of its own tools (`readOnlyHint` and its like). */
  readonly trustAnnotations: boolean;
  readonly redactSecrets: boolean;
  readonly startTimeoutMs: number;
  /** How long a call's server may be silent. */
  readonly callTimeoutMs: number;
  /** How long a call may take, whatever progress its server reports. */
  readonly callTotalMs: number;
  readonly callsAtOnce: number;
  readonly maxResultChars: number;
}

export interface StdioStart {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Its own variables; nothing of ours is passed on. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  /** Folders that it may see beside the roots, which it reads; it writes only where one of these is writable. */
  readonly folders: readonly { readonly path: string; readonly writable: boolean }[];
  readonly sandbox: 'required' | 'off';
  /** Hosts that it may reach from its sandbox; absent: none. `key` is the list's name in the configuration. */
  readonly network?: { readonly entries: readonly string[]; readonly key: string } | undefined;
}

export interface HttpStart {
  readonly kind: 'http';
  readonly url: string;
  /** What it carries stays on this machine, is encrypted, or goes plainly by the operator's word. */
  readonly isSafe: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** How tokens for it are had; absent: none are sent. */
  readonly oauth?: OauthSettings | undefined;
}

export interface OauthSettings {
  /** A person's login, or an account of this program's own. */
  readonly grant: 'authorization_code' | 'client_credentials';
  /** The one authorization server that may be asked; absent: the one that the server names. */
  readonly issuer?: string | undefined;
  /** Registered there beforehand; absent: registered at login. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly scope?: string | undefined;
  /** A public document that describes this client, for authorization servers that read it instead. */
  readonly clientMetadataUrl?: string | undefined;
  /** Where the browser comes back to, if the registration fixes it. */
  readonly redirectPort?: number | undefined;
}

export interface LoginOptions {
  /** Instead of what the configuration or the server says. */
  readonly scope?: string | undefined;
  /**
   * Shows the person the address to open, and at whose door it is. Where the browser runs elsewhere, the address that it
   * ends at can be handed back; false: it is not of this login.
   */
  readonly show: (url: URL, issuer: string, handBack: (address: string) => boolean) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface ToolOverride {
  readonly description?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly destructive?: boolean | undefined;
  readonly idempotent?: boolean | undefined;
  readonly openWorld?: boolean | undefined;
  /** Asks a person before each call, or before none. */
  readonly ask?: boolean | undefined;
  readonly flow?: FlowMode | undefined;
}

/** How a server is, as `sekisho server list` and the console show it. */
export interface ServerStatus {
  readonly name: string;
  /** `closed`: its pin file cannot be believed. */
  readonly state: 'disabled' | 'idle' | 'starting' | 'ready' | 'failed' | 'closed';
  readonly problem?: Text | undefined;
  /** How often it was started, the first time included. */
  readonly starts?: number | undefined;
  /** How many tools a person, or the first look, agreed to. */
  readonly pinned?: number | undefined;
  /** Shown names. */
  readonly tools: readonly string[];
  /** Remote names that wait for a person's look, and why. */
  readonly held: readonly HeldTool[];
}

export interface HeldTool {
  readonly name: string;
  readonly why: 'changed' | 'added' | 'flagged';
  readonly findings: readonly string[];
}
