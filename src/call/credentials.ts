import { createHash } from 'node:crypto';
import type { Arrival } from '../contract/call.ts';
import {
  type AgentCaller,
  type AnonymousCaller,
  type Caller,
  type CoordinatorCaller,
  type LocalCaller,
  localTokenRole,
} from '../contract/caller.ts';
import type { TokenStore } from '../contract/records.ts';
import type { Credentials } from './identify.ts';

/** Looks up agents' sessions; undefined if the collaboration toolset is not served. */
export interface AgentCredentials {
  session(token: string, arrival: Arrival): Promise<AgentCaller | undefined>;
  coordinator(token: string, arrival: Arrival): Promise<CoordinatorCaller | undefined>;
  /** The session that `authenticate` bound to the connection. */
  bound(arrival: Arrival): Promise<AgentCaller | undefined>;
}

/** Checks access tokens of other issuers; undefined if none is trusted. */
export interface TokenIssuers {
  identify(token: string): Promise<
    | {
        readonly kind: 'good';
        readonly standing: Pick<Caller, 'principal' | 'role' | 'scopes' | 'scopeNames' | 'toolsets'> & {
          /** The program that holds the token. */
          readonly client: string;
          readonly actors: readonly string[];
        };
      }
    | { readonly kind: 'bad' | 'expired' | 'unverifiable'; readonly problem: string }
    | undefined
  >;
}

export interface CredentialSources {
  readonly tokens: () => Promise<TokenStore>;
  readonly issuers?: (() => Promise<TokenIssuers>) | undefined;
  readonly agents?: (() => Promise<AgentCredentials>) | undefined;
  /** The role of the person at this machine, if not simply the local one (`--as`). */
  readonly localRole?: string | undefined;
  readonly now: () => number;
}

/** Looks up proofs. A bad proof makes an anonymous caller with the reason, never an exception or a weaker proof. */
export function createCredentials(sources: CredentialSources): Credentials {
  const personHere = (sessionId: string): LocalCaller => ({
    kind: 'local',
    principal: 'local',
    sessionId,
    remote: false,
    role: sources.localRole,
  });
  return {
    unproven(arrival) {
      if (arrival.transport === 'http') return anonymous(arrival, 'no_credential');
      return personHere(sessionOf(arrival, 'local'));
    },
    async bearer(token, arrival) {
      // A client that can set headers may send an agent's session as its bearer token.
      if (token.startsWith('sess_') && sources.agents)
        return known(await (await sources.agents()).session(token, arrival), arrival);
      const foreign = sources.issuers && (await (await sources.issuers()).identify(token));
      if (foreign?.kind === 'good') {
        const { client, actors, ...standing } = foreign.standing;
        // Tokens change; the session belongs to this person with this program and the actors in between.
        const holder = createHash('sha256').update(JSON.stringify([standing.principal, client, ...actors]));
        return {
          kind: 'user',
          ...standing,
          chain: actors.length > 0 ? [standing.principal, ...actors] : undefined,
          sessionId: sessionOf(arrival, `oauth:${holder.digest('hex').slice(0, 24)}`),
          remote: arrival.transport === 'http',
        };
      }
      if (foreign) return { ...anonymous(arrival, foreignReasons[foreign.kind]), problem: foreign.problem };
      const store = await sources.tokens();
      const found = await store.find(token, sources.now());
      if (found === 'unknown') return anonymous(arrival, 'bad_credential');
      if (found === 'expired') return anonymous(arrival, 'expired_credential');
      if (found.role === localTokenRole) return personHere(sessionOf(arrival, `token:${found.id}`));
      const principal = `user:${found.user}`;
      return {
        kind: 'user',
        principal,
        sessionId: sessionOf(arrival, `token:${found.id}`),
        remote: arrival.transport === 'http',
        role: found.role,
        toolsets: found.toolsets,
      };
    },
    session: async (token, arrival) =>
      known(await (await sources.agents?.())?.session(token, arrival), arrival),
    coordinator: async (token, arrival) =>
      known(await (await sources.agents?.())?.coordinator(token, arrival), arrival),
    async bound(arrival) {
      if (!sources.agents || arrival.connectionId === undefined) return undefined;
      return (await sources.agents()).bound(arrival);
    },
  };
}

const foreignReasons = {
  bad: 'bad_credential',
  expired: 'expired_credential',
  unverifiable: 'unverifiable',
} as const;

function known(caller: Caller | undefined, arrival: Arrival): Caller {
  return caller ?? anonymous(arrival, 'bad_credential');
}

/** One session per connection; one per credential for a client without connections. */
function sessionOf(arrival: Arrival, otherwise: string): string {
  return arrival.connectionId ?? otherwise;
}

function anonymous(arrival: Arrival, reason: AnonymousCaller['reason']): AnonymousCaller {
  return {
    kind: 'anonymous',
    principal: 'anonymous',
    sessionId: sessionOf(arrival, 'anonymous'),
    remote: arrival.transport === 'http',
    reason,
  };
}
