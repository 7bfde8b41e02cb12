import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { createTeamRoom } from '../../src/checkpoint/fleet/team.ts';
import type { Settings } from '../../src/config/settings.ts';
import type { Store } from '../../src/store/open-store.ts';
import { startEngines } from '../store/engines.ts';
import { needs } from '../support/needs.ts';
import { enter, settle } from './people.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));
afterEach(() => {
  vi.useRealTimers();
});
const yearMs = 366 * 24 * 60 * 60 * 1000;

describe.each(engines)('on $name', ({ name, missing, createPlace }) => {
  test(
    'a clock that is a year ahead ends no session and lets nobody take a task that is worked at',
    needs(missing),
    async () => {
      const place = await createPlace();
      const here = await place.open();
      const team = await roomOn(here).open();
      await settle(team);
      await team.admin.addTask({ projectId: 'p', title: 'Only one' });
      const worker = await enter(team, 'a');
      await worker.team.claimTask({});

      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + yearMs });
      // Servers of one database may begin with a wrong clock; those of one file have the clock of one machine.
      const later = name.startsWith('PostgreSQL') ? await roomOn(await place.open()).open() : team;
      const other = await later.sessions.session(worker.token, { transport: 'http' });

      expect(other?.session.agentId).toBe('a');
      await expect(enter(later, 'b')).rejects.toThrow('no_work');
      expect(await worker.team.reportCompleted({ result: 'success' })).toMatchObject({ status: 'done' });
    },
  );
});

function roomOn(store: Store) {
  const settings = { toolsets: ['collaboration'], locale: 'en' } as unknown as Settings;
  return createTeamRoom(settings, async () => store);
}
