import type { Acts } from '../contract/people/operator.ts';
import type { Person } from '../contract/people/person.ts';
import type { Perform } from './perform.ts';
import type { OperatorRooms } from './rooms.ts';

/** Devices and passkeys for notices and answers. The log has their names, never an address or a key. */
export function createNoticeActs(
  person: Person,
  perform: Perform,
  { notices, passkeys, testNotice, now }: OperatorRooms,
  allow: () => void,
): Pick<Acts, 'testNotice' | 'addDevice' | 'removeDevice' | 'addPasskey' | 'removePasskey'> {
  return {
    testNotice: (channel) =>
      perform({ tool: 'sekisho notify test', arguments: { channel } }, async () => {
        allow();
        const tried = await testNotice(channel);
        if (!tried) return { result: undefined, code: 'not_found' };
        return { result: tried, code: tried.status === 'sent' ? undefined : 'unavailable' };
      }),
    addDevice: (device) =>
      perform({ tool: 'sekisho notify device', arguments: { act: 'add', label: device.label } }, async () => {
        allow();
        const added = await (await notices()).addDevice({ ...device, person: person.name });
        return { result: added, facts: { id: added.id } };
      }),
    removeDevice: (id) =>
      perform({ tool: 'sekisho notify device', arguments: { act: 'remove', id } }, async () => {
        allow();
        const removed = await (await notices()).removeDevice(id);
        return { result: removed, code: removed ? undefined : 'not_found' };
      }),
    addPasskey: (passkey) =>
      perform(
        { tool: 'sekisho passkey add', arguments: { label: passkey.label, host: passkey.host } },
        async () => {
          allow();
          const added = await (await passkeys()).add(passkey, now());
          return { result: added, code: added ? undefined : 'conflict' };
        },
      ),
    removePasskey: (id) =>
      perform({ tool: 'sekisho passkey remove', arguments: { id } }, async () => {
        allow();
        const removed = await (await passkeys()).remove(id);
        return { result: removed, code: removed ? undefined : 'not_found' };
      }),
  };
}
