import { identifyArrival } from '../call/identify.ts';
import {
  createPromptGateway,
  createResourceGateway,
  joinResources,
  type UpstreamRequests,
} from '../call/upstream-requests.ts';
import type { Settings } from '../config/settings.ts';
import type { Arrival, Call, Reply } from '../contract/call.ts';
import type { Caller } from '../contract/caller.ts';
import type { Admission, Gateway, PromptGateway, ResourceGateway } from '../contract/gateway.ts';
import { mayObserve } from './operating/observe.ts';
import type { Road, RoadParts } from './road.ts';
import type { Rooms } from './rooms.ts';
import { instructionsFor } from './toolsets.ts';

interface GatewayParts extends Pick<RoadParts, 'settings' | 'rooms' | 'team' | 'catalog' | 'credentials'> {
  readonly version: string | undefined;
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
    call: (call) => road.call(call),
    resume: (sessionId) => road.resume(sessionId),
    async leave(arrival) {
      if (arrival.connectionId === undefined) return;
      await road.leave(arrival.connectionId);
      await team.leave(arrival);
    },
    ...joinUpstreamRequests(settings, rooms, (call) => road.walk(call), notesOf(parts)),
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
  return createResourceGateway(
    (call) => road.walk(call),
    async (uri, changed) => {
      const { openVaultResources } = await import('../tools/vault/resources.ts');
      return openVaultResources(await rooms.vault()).subscribe({ transport: 'cli' }, uri, changed);
    },
  );
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

/** Adds resources and prompts of proxied servers to our own. Without servers nothing is added or loaded. */
function joinUpstreamRequests(
  settings: Settings,
  rooms: Rooms,
  call: (call: Call) => Promise<Reply>,
  own: ResourceGateway | undefined,
): { readonly resources?: ResourceGateway | undefined; readonly prompts?: PromptGateway | undefined } {
  if (settings.servers.length === 0) return { resources: own };
  const upstream: UpstreamRequests = {
    call,
    async offering(what) {
      const upstreams = await rooms.upstreams();
      await upstreams.settle();
      return upstreams.servers
        .filter((server) => server.offers()[what])
        .map(({ settings: { name } }) => name);
    },
    async watch(name, uri, changed) {
      const { servers } = await rooms.upstreams();
      return servers.find(({ settings }) => settings.name === name)?.watch(uri, changed) ?? (() => {});
    },
    onChanged(listener) {
      let end: (() => void) | undefined;
      let isOver = false;
      // Already open if anything could change.
      void rooms.upstreams().then((upstreams) => {
        if (isOver) return;
        end = upstreams.onChanged((what) => {
          if (what !== 'tools') listener(what);
        });
      });
      return () => {
        isOver = true;
        end?.();
      };
    },
  };
  return { resources: joinResources(own, upstream), prompts: createPromptGateway(upstream) };
}
