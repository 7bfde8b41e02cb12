import { createPromptGateway, joinResources, type UpstreamRequests } from '../call/upstream-requests.ts';
import type { Settings } from '../config/settings.ts';
import type { Call, Reply } from '../contract/call.ts';
import type { PromptGateway, ResourceGateway } from '../contract/gateway.ts';
import type { Rooms } from './rooms.ts';

/** Adds resources and prompts of proxied servers to our own. Without servers nothing is added or loaded. */
export function joinUpstreamRequests(
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
