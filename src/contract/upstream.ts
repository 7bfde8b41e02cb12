import type { Text } from './text/text.ts';
import type { FlowMode } from './tool/tool-card.ts';

/** A proxied server in the operator's configuration: paths absolute, variables filled in. */
export interface ServerSettings {
  /** The prefix of its tools' names, `github` of `github__create_issue`; contains no `__`. */
  readonly name: string;
  readonly enabled: boolean;
  /** False: each session that calls it has a process or connection of its own. */
  readonly shared?: boolean | undefined;
  readonly start: StdioStart | HttpStart;
  /** Remote names of the tools that are shown. Undefined: all. */
  readonly allow?: readonly string[] | undefined;
  readonly deny: readonly string[];
  /** The operator's settings for single tools, by remote name. */
  readonly tools: ReadonlyMap<string, ToolOverride>;
  /** Roles, kinds of callers and `user:NAME` that may use it beside the local operator. */
  readonly roles: readonly string[];
  /** Whether to ask a person before a call that may change something. */
  readonly ask: 'changes' | 'never';
  /** The response if untrusted text determines where a call goes. */
  readonly flow: FlowMode;
  /** Trust the server's annotations of its own tools (`readOnlyHint` etc.). */
  readonly trustAnnotations: boolean;
  readonly redactSecrets: boolean;
  readonly startTimeoutMs: number;
  /** How long the server of a call may be silent. */
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
  /** Its own variables; none of ours are passed on. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  /** Folders for it beside the roots, which it only reads; it writes only to the `writable` ones. */
  readonly folders: readonly { readonly path: string; readonly writable: boolean }[];
  readonly sandbox: 'required' | 'off';
  /** Hosts that it may reach from its sandbox; none if undefined. `key` is the list's name in the configuration. */
  readonly network?: { readonly entries: readonly string[]; readonly key: string } | undefined;
}

export interface HttpStart {
  readonly kind: 'http';
  readonly url: string;
  /** The connection stays on this machine or is encrypted, or the operator allows plain text. */
  readonly isSafe: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** How to get tokens for it; none are sent if undefined. */
  readonly oauth?: OauthSettings | undefined;
}

export interface OauthSettings {
  /** A person's login, or a service account of this program. */
  readonly grant: 'authorization_code' | 'client_credentials';
  /** The one authorization server that may be used. Undefined: the one that the server names. */
  readonly issuer?: string | undefined;
  /** The id of a registration made beforehand. Undefined: register at login. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly scope?: string | undefined;
  /** A public document that describes this client, for authorization servers that read it instead of a registration. */
  readonly clientMetadataUrl?: string | undefined;
  /** The port of the browser's redirect, if the registration fixes it. */
  readonly redirectPort?: number | undefined;
}

export interface LoginOptions {
  /** Overrides the scope of the configuration and the server. */
  readonly scope?: string | undefined;
  /**
   * Shows the person the address to open and its issuer. If the browser runs elsewhere, `handBack` takes the address
   * that it ends at; it returns false for an address that is not of this login.
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
  /** Asks a person before each call, or never. */
  readonly ask?: boolean | undefined;
  readonly flow?: FlowMode | undefined;
}

/** The state of a server, as `sekisho server list` and the console show it. */
export interface ServerStatus {
  readonly name: string;
  /** `closed`: its pin file cannot be trusted. */
  readonly state: 'disabled' | 'idle' | 'starting' | 'ready' | 'failed' | 'closed';
  readonly problem?: Text | undefined;
  /** The number of starts, including the first. */
  readonly starts?: number | undefined;
  /** The number of tools that a person, or the first connection, approved. */
  readonly pinned?: number | undefined;
  /** Names as shown to clients. */
  readonly tools: readonly string[];
  /** Remote names of tools that wait for review, and why. */
  readonly held: readonly WithheldTool[];
}

export interface WithheldTool {
  readonly name: string;
  readonly why: 'changed' | 'added' | 'flagged';
  readonly findings: readonly string[];
}
