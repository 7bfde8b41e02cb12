import { createPromptDoor, joinResources, type UpstreamDoors } from '../call/upstream-doors.ts';
import type { Settings } from '../config/load.ts';
import type { Call, Reply } from '../contract/call.ts';
import type { PromptDoor, ResourceDoor } from '../contract/door.ts';
import type { Rooms } from './rooms.ts';

/** Resources and prompts of proxied servers beside our own. Without servers nothing is added or loaded. */
export function joinUpstreamDoors(
  settings: Settings,
  rooms: Rooms,
  call: (call: Call) => Promise<Reply>,
  own: ResourceDoor | undefined,
): { readonly resources?: ResourceDoor | undefined; readonly prompts?: PromptDoor | undefined } {
  if (settings.servers.length === 0) return { resources: own };
  const doors: UpstreamDoors = {
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
      // Opened already wherever something could change.
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
  return { resources: joinResources(own, doors), prompts: createPromptDoor(doors) };
}
