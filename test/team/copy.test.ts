import { afterAll, expect, test } from 'vitest';
import { copyStore } from '../../src/store/copy.ts';
import { startEngines } from '../store/engines.ts';
import { enter, openTeam, passkey, patient, settle, strangerAt } from './people.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));
const ways = engines.flatMap((from) =>
  engines.map((to) => ({ from, to, way: `${from.name} to ${to.name}` })),
);

test.for(ways)(
  'a team moves from $way in the middle of its work, sessions included',
  async ({ from, to }, { skip }) => {
    if (from.missing !== undefined || to.missing !== undefined) skip(from.missing ?? to.missing);
    const [here, there] = [await from.createPlace(), await to.createPlace()];
    const old = await here.open();
    const clock = () => 1_700_000_000_000;
    const store = openTeam(old, clock);
    await settle(store);
    const whole = await store.admin.addTask({ projectId: 'p', title: 'Whole', assigneeId: 'a' });
    const { team, token } = await enter(store, 'a');
    await team.claimTask({});
    await team.createTasks({
      parent_task_id: whole,
      tasks: Array.from({ length: 100 }, (_, n) => ({
        local_id: `${n}`,
        title: `Part ${n}`,
        ...(n > 0 ? { depends_on: [`${n - 1}`] } : {}),
      })),
    });
    await team.delegate({ target_agent_id: 'b', purpose: 'Ask.' });
    const chat = (await enter(store, 'a', 'chat')).team;
    await chat.startConversation({
      participant_agent_id: 'b',
      purpose: 'Ask.',
      message: 'Well?',
      max_turns: 4,
    });

    const moved = await there.open();
    await copyStore(await old.engine(), await moved.engine());

    const after = openTeam(moved, clock);
    const caller = await after.sessions.session(token, { transport: 'http' });
    if (!caller) throw new Error('The session did not move.');
    const mine = after.lend(caller, { transport: 'http' });
    expect(await mine.listTasks({ limit: 100 })).toMatchObject({
      tasks: (await team.listTasks({ limit: 100 })).tasks,
    });
    expect(await mine.getTask({ task_id: whole })).toEqual(await team.getTask({ task_id: whole }));
    expect(await mine.nextAction({ timeout_seconds: 0 }, patient)).toMatchObject({
      action: 'execute_subtask',
    });
    expect(await mine.createTask({ title: 'New' })).toEqual({ task_id: expect.any(String) });
    expect((await (await enter(after, 'b', 'chat')).team.pendingMessages({})).messages).toMatchObject([
      { content: 'Well?' },
    ]);
    expect(
      await strangerAt(after).authenticate({ agent_id: 'outsider', passkey, project_id: 'q' }),
    ).toMatchObject({
      reason: 'no_work',
    });
  },
);
