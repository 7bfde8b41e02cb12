import { type Credentials, identifyArrival } from '../call/identify.ts';
import { createResourceGateway } from '../call/resources.ts';
import type { Settings } from '../config/settings.ts';
import type { Arrival } from '../contract/call.ts';
import type { Caller } from '../contract/caller.ts';
import type { Admission, Gateway } from '../contract/gateway.ts';
import type { LiveCatalog } from './catalog.ts';
import { mayObserve } from './observe.ts';
import type { Road } from './road.ts';
import type { Rooms } from './rooms.ts';
import type { TeamRoom } from './team.ts';
import { instructionsFor } from './toolsets.ts';
import { joinUpstreamRequests } from './upstream.ts';

interface GatewayParts {
  readonly version: string | undefined;
  readonly settings: Settings;
  readonly rooms: Rooms;
  readonly team: TeamRoom;
  readonly catalog: LiveCatalog;
  readonly credentials: Credentials;
  readonly road: Road;
}

/** What a transport sees of a checkpoint. */
export function createGateway(parts: GatewayParts): Gateway {
  const { settings, rooms, team, catalog, credentials, road } = parts;
  const name = settings.only ? `mcp-server/${settings.only}` : 'sekisho';
  return {
    info: { name, version: parts.version ?? '0.0.0', title: 'Sekisho' },
    instructions: instructionsFor(settings),
    locale: settings.locale,
    async list(arrival) {
      const caller = await identifyArrival(arrival, {}, credentials);
      await catalog.settle();
      return (await catalog()).offered(caller);
    },
    call: road.call,
    resume: road.resume,
    async leave(arrival) {
      if (arrival.connectionId === undefined) return;
      await road.leave(arrival.connectionId);
      await team.leave(arrival);
    },
    ...joinUpstreamRequests(settings, rooms, road.walk, notesOf(parts)),
    onListChanged(listener) {
      const ends = [catalog.onChanged(() => listener(undefined)), team.onChanged(listener)];
      return () => {
        for (const end of ends) end();
      };
    },
    admits: (arrival) => admit(arrival, parts),
  };
}

/** The notes as resources, if they are served. */
function notesOf({ settings, rooms, road }: GatewayParts) {
  if (!settings.toolsets.includes('vault') || settings.vault.extras === false) return undefined;
  return createResourceGateway(road.walk, async (uri, changed) => {
    const { openVaultResources } = await import('../tools/vault/resources.ts');
    return openVaultResources(await rooms.vault()).subscribe({ transport: 'cli' }, uri, changed);
  });
}

async function admit(arrival: Arrival, { settings, team, credentials }: GatewayParts): Promise<Admission> {
  const caller = await identifyArrival(arrival, {}, credentials);
  if (caller.kind !== 'anonymous') return admissionOf(caller);
  const reason = caller.reason ?? 'no_credential';
  // If OAuth is configured, the refusal tells the client to get a token.
  if (settings.http.oauth) return { ok: false, reason, problem: caller.problem };
  // An agent has no credential before it authenticates, and may send it as an argument: the call decides.
  if (team.credentials && caller.reason === 'no_credential') return { ok: true };
  return { ok: false, reason };
}

/** Tokens of other issuers are replaced while a session lasts, so the session belongs to the holder. */
function admissionOf(caller: Caller): Admission {
  const { scopes, scopeNames, sessionId } = caller;
  const observes = mayObserve(caller);
  if (!scopes) return { ok: true, observes };
  return {
    ok: true,
    observes,
    holder: sessionId,
    lacksAdmin: scopes.includes('admin') ? undefined : (scopeNames?.admin ?? 'admin'),
  };
}
