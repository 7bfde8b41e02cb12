import { once } from 'node:events';
import { openStore } from '../../src/store/open-store.ts';
import { auditRecord } from '../../test/store/records.ts';
import { enter, openTeam } from '../../test/team/people.ts';

/** A server with agents at work: each claims and finishes tasks, and each of these calls is recorded before its reply. */
const [url = '', stateFolder = '', first = '', last = ''] = process.argv.slice(2);
const store = await openStore({ url, stateFolder });
const team = openTeam(store);
const agents = Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => `p${Number(first) + at}`);
const sessions = await Promise.all(agents.map((id) => enter(team, id)));
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
let calls = 0;
const recorded = () => {
  calls += 1;
  return store.audit.write(auditRecord({ id: `${first}_${calls}` }));
};
await Promise.all(
  sessions.map(async (session) => {
    for (;;) {
      const { task } = await session.team.claimTask({});
      await recorded();
      if (!task) return;
      await session.team.reportCompleted({ result: 'success' });
      await recorded();
      process.stdout.write(`claimed ${task.task_id}\n`);
    }
  }),
);
process.stdout.write('over\n');
await store.close();
