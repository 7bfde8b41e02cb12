/** The kind of an agent's session (document 002). */
export type Purpose = 'task' | 'chat';

/** An agent's session for rules to read; never contains its token. */
export interface AgentSession {
  readonly id: string;
  readonly agentId: string;
  readonly projectId: string;
  readonly purpose: Purpose;
}

interface CallerBase {
  /** The principal: `local`, `user:NAME`, `agent:ID`, `coordinator`, `anonymous`. Owns memories, limits, approvals. */
  readonly principal: string;
  /** The name of a person as their issuer gives it, e.g. `alice@example.com`. No decision depends on it. */
  readonly personName?: string | undefined;
  /** The owner of working folder and background processes: a connection, a token or an agent's session. */
  readonly sessionId: string;
  /**
   * The chain of delegation, if there are several parties: from the one for whom the call is made to the one that makes
   * it. It comes from the verified credential only, never from other data of the caller.
   */
  readonly chain?: readonly string[] | undefined;
  /** Arrived over the network. */
  readonly remote: boolean;
  /** Toolsets that the credential allows. Undefined: all that are served. */
  readonly toolsets?: readonly string[] | undefined;
  /** The operator's role for this principal, matched by policy rules. */
  readonly role?: string | undefined;
  /** OAuth scopes, if the credential carries them. */
  readonly scopes?: readonly string[] | undefined;
  /** The issuer's names of scopes, for telling a client which to ask for. */
  readonly scopeNames?: Readonly<Record<string, string>> | undefined;
}

/** A caller without a valid credential. `reason` says whether it had one. */
export interface AnonymousCaller extends CallerBase {
  readonly kind: 'anonymous';
  readonly reason?: 'no_credential' | 'bad_credential' | 'expired_credential' | 'unverifiable' | undefined;
  /** The problem with the credential, in words for its holder. */
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

/** The roles of tokens that may see every principal's data. */
export const operatorRoles: readonly string[] = ['admin', 'operator'];

/** The role of the token that stands for the person at this machine, for their clients that speak HTTP. */
export const localTokenRole = 'local-operator';

/** The role of a token that reads `/metrics` and can do nothing else. */
export const metricsRole = 'metrics';

/** Whether the caller is an agent in a session. */
export function isAgent(caller: Caller): caller is AgentCaller {
  return caller.kind === 'manager' || caller.kind === 'worker';
}
