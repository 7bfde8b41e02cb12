import { openStore } from '../../src/store/open-store.ts';
import { enter, openTeam, passkey, settle } from '../../test/team/people.ts';
import { type Growth, medianOf, type Row } from '../measure.ts';
import { makeFolder } from '../world.ts';

const rounds = 60;

export const rows: readonly Row[] = [
  {
    name: 'team-growth',
    async run() {
      const points: Growth['points'][number][] = [];
      for (const agents of [10, 50, 250]) {
        points.push({ size: `${agents} agents`, ms: await claimAndFinish(agents) });
      }
      return [{ operation: 'claim a task and finish it', points }];
    },
  },
];

/** One worker's way through its tasks, in a project of so many workers, each with a task of its own under way. */
async function claimAndFinish(agents: number): Promise<number> {
  const { folder, remove } = makeFolder();
  const store = await openStore({ url: `sqlite:${folder}/sekisho.db`, stateFolder: folder });
  const team = openTeam(store);
  await settle(team);
  await Promise.all(
    Array.from({ length: agents }, async (_, n) => {
      await team.admin.addAgent({ id: `p${n}`, name: 'P', hierarchy: 'worker', passkey });
      await team.admin.assign(`p${n}`, 'p');
      await team.admin.addTask({ projectId: 'p', title: `Of ${n}`, assigneeId: `p${n}`, start: true });
    }),
  );
  // The first tenth only warms up.
  for (let task = 0; task < rounds * 1.2; task++)
    await team.admin.addTask({ projectId: 'p', title: `Task ${task}` });
  const worker = await enter(team, 'a');
  const ms = await medianOf(rounds, async () => {
    const { task } = await worker.team.claimTask({});
    if (!task) throw new Error('there was no task to claim');
    await worker.team.reportCompleted({ result: 'success' });
  });
  await store.close();
  remove();
  return ms;
}
