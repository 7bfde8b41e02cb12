/** What a session of an agent is for (document 002: a task session, or a chat session). */
export type Purpose = 'task' | 'chat';

/** An agent's session as the rules see it; its token is never part of it. */
export interface AgentSession {
  readonly id: string;
  readonly agentId: string;
  readonly projectId: string;
  readonly purpose: Purpose;
}

interface CallerBase {
  /** The principal: `local`, `user:NAME`, `agent:ID`, `coordinator`, `anonymous`. Owns memories, limits, approvals. */
  readonly principal: string;
  /** By what people know a person whom an issuer vouches for, e.g. `alice@example.com`. Nothing is decided by it. */
  readonly personName?: string | undefined;
  /** Whose working folder and background processes these are: a connection, a token or an agent's session. */
  readonly sessionId: string;
  /**
   * Who acts for whom, from whom it is done for to who does it, where these are several. It comes with the proof of who
   * is calling, and nothing else that a caller sends is looked at for it.
   */
  readonly chain?: readonly string[] | undefined;
  /** Came over the network. */
  readonly remote: boolean;
  /** Toolsets that the credential allows; absent means all that are served. */
  readonly toolsets?: readonly string[] | undefined;
  /** The operator's name for what this principal is, matched by policy rules. */
  readonly role?: string | undefined;
  /** OAuth scopes, where the credential carries them. */
  readonly scopes?: readonly string[] | undefined;
  /** How the issuer of the credential calls them, where a client must ask for more. */
  readonly scopeNames?: Readonly<Record<string, string>> | undefined;
}

/** Somebody without a proof of who they are. A wrong credential is this too, with the reason. */
export interface AnonymousCaller extends CallerBase {
  readonly kind: 'anonymous';
  readonly reason?: 'no_credential' | 'bad_credential' | 'expired_credential' | 'unverifiable' | undefined;
  /** What is wrong with the credential, in words for its holder. */
  readonly problem?: string | undefined;
}
/** The person at this machine, over stdio, the command line, or HTTP with the token of this machine. */
export interface LocalCaller extends CallerBase {
  readonly kind: 'local';
}
/** A person or program that holds a bearer token. */
export interface UserCaller extends CallerBase {
  readonly kind: 'user';
}
/** The program that starts agents (document 002). */
export interface CoordinatorCaller extends CallerBase {
  readonly kind: 'coordinator';
}
/** An agent in a session (document 002). */
export interface AgentCaller extends CallerBase {
  readonly kind: 'manager' | 'worker';
  readonly session: AgentSession;
}

export type Caller = AnonymousCaller | LocalCaller | UserCaller | CoordinatorCaller | AgentCaller;

/** The roles of tokens that open what operators see of everybody. */
export const operatorRoles: readonly string[] = ['admin', 'operator'];

/** The role of the token that stands for the person at this machine, for clients of theirs that speak HTTP. */
export const localTokenRole = 'local-operator';

/** The role of a token that reads `/metrics` and can do nothing else. */
export const metricsRole = 'metrics';

/** Is the caller an agent in a session? */
export function isAgent(caller: Caller): caller is AgentCaller {
  return caller.kind === 'manager' || caller.kind === 'worker';
}
