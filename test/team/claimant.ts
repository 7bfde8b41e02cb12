import { once } from 'node:events';
import { openStore } from '../../src/store/open-store.ts';
import { enter, openTeam } from './people.ts';

/** A process that claims and finishes tasks until none is left, saying on stdout what it was told it has. */
const [url = '', stateFolder = '', agentId = '', whenToldTo] = process.argv.slice(2);
const store = await openStore({ url, stateFolder });
const team = openTeam(store);
// Several sessions at once, as an agent with many slots has.
const sessions = await Promise.all(Array.from({ length: 4 }, () => enter(team, agentId)));
if (whenToldTo !== undefined) {
  // So that what is measured is claiming, and not how eight processes start.
  process.stdout.write('ready\n');
  await once(process.stdin, 'data');
  process.stdin.destroy();
}
await Promise.all(
  sessions.map(async (session) => {
    for (;;) {
      const { task } = await session.team.claimTask({});
      if (!task) return;
      process.stdout.write(`claimed ${task.task_id}\n`);
      await session.team.reportCompleted({ result: 'success' });
      process.stdout.write(`done ${task.task_id}\n`);
    }
  }),
);
await store.close();
