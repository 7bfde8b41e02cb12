import type { NoticeStore, PushDevice } from '../../contract/notice.ts';
import type { OpenEngine } from '../engine.ts';
import { randomId } from '../random-id.ts';
import { deleteRows, insertRow } from '../rows.ts';
import type { PushDeviceRow } from '../tables/notices.ts';

/** Browsers that receive web push. One that subscribes again replaces its old entry. */
export function createDevices(
  openEngine: OpenEngine,
): Pick<NoticeStore, 'addDevice' | 'devices' | 'removeDevice'> {
  return {
    async addDevice({ keys, createdAtMs, ...device }) {
      const engine = await openEngine();
      const row: PushDeviceRow = { ...device, ...keys, id: randomId('dev_', 8), created_at_ms: createdAtMs };
      await engine.write(async (tx) => {
        await deleteRows(tx, 'push_devices', { endpoint: row.endpoint });
        await insertRow(tx, 'push_devices', row);
      });
      return deviceOf(row);
    },

    async devices() {
      const { db } = await openEngine();
      const rows = await db
        .selectFrom('push_devices')
        .selectAll()
        .orderBy('created_at_ms')
        .limit(200)
        .execute();
      return rows.map(deviceOf);
    },

    async removeDevice(id) {
      const engine = await openEngine();
      const gone = await engine.write((tx) =>
        tx.deleteFrom('push_devices').where('id', '=', id).returning('id').executeTakeFirst(),
      );
      return gone !== undefined;
    },
  };
}

function deviceOf({ p256dh, auth, created_at_ms: createdAtMs, ...row }: PushDeviceRow): PushDevice {
  return { ...row, keys: { p256dh, auth }, createdAtMs };
}
