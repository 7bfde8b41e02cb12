import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Answered, Team } from '../../src/contract/team/team.ts';
import type { TeamStore } from '../../src/store/team/team-store.ts';
import { startEngines } from '../store/engines.ts';
import { enter, openTeam, patient, settle } from './people.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));
const engine = engines.find(({ name }) => name === 'SQLite');

type Mischief = 'none' | 'fail' | 'release' | 'die' | 'takeBack' | 'cancel' | 'backlog' | 'leave';
const mischiefs: readonly Mischief[] = ['fail', 'release', 'die', 'takeBack', 'cancel', 'backlog', 'leave'];

/**
 * Agents that do exactly what get_next_action says are never refused, and come to an end, whatever else happens:
 * attempts fail, processes die with their leases, tasks are taken back, cancelled, put off, and sessions are left.
 */
test('whoever follows the steps is not refused, and all work is done', {
  timeout: process.env.SEKISHO_HAMMER ? 600_000 : 120_000,
}, async () => {
  const turn = fc.record({
    who: fc.constantFrom('m', 'a', 'b'),
    mischief: fc.oneof(
      { weight: 5, arbitrary: fc.constant<Mischief>('none') },
      { weight: 1, arbitrary: fc.constantFrom(...mischiefs) },
    ),
    parts: fc.integer({ min: 1, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 20, maxLength: 60 }), async (turns) => {
      const world = await openWorld();
      for (const { who, mischief, parts } of turns) {
        await world.disturb(who, mischief);
        await world.step(who, parts);
        await world.assertKept();
      }
      for (let round = 0; (await world.openTasks()).length > 0; round += 1) {
        if (round === 60)
          throw new Error(`No end: ${JSON.stringify([await world.openTasks(), world.log.slice(-20)])}`);
        // Whatever is only waited for comes about: a lease runs out, a person goes on with what was blocked.
        if (round % 5 === 4) await world.letTimePass();
        for (const who of ['m', 'a', 'b']) await world.step(who, 1);
      }
    }),
    { seed: 20_261_122, numRuns: process.env.SEKISHO_HAMMER ? 100 : 6, endOnFailure: true },
  );
});

async function openWorld() {
  if (!engine) throw new Error('no SQLite');
  const clock = { now: 1_700_000_000_000 };
  const place = await engine.createPlace();
  const store = openTeam(await place.open(() => clock.now), () => clock.now);
  await settle(store);
  for (const assigneeId of ['m', 'a', undefined, undefined]) {
    await store.admin.addTask({
      projectId: 'p',
      title: `For ${assigneeId ?? 'anybody'} ${Math.random()}`,
      assigneeId,
    });
  }
  const coordinator = store.lend(
    { kind: 'coordinator', principal: 'coordinator', sessionId: 'c', remote: true },
    { transport: 'http' },
  );
  const sessions = new Map<string, { team: Team; token: string }>();
  const log: string[] = [];

  /** As a coordinator starts agents: only for what there is. */
  async function sessionOf(who: string): Promise<Team | undefined> {
    const known = sessions.get(who);
    if (known && (await store.sessions.session(known.token, { transport: 'http' }))) return known.team;
    const { action, start, reason } = await coordinator.agentAction({ agent_id: who, project_id: 'p' });
    log.push(`${who} ${action} ${reason}`);
    if (action === 'hold') return undefined;
    const entered = await enter(store, who, start?.purpose === 'chat' ? 'chat' : 'task');
    sessions.set(who, entered);
    return entered.team;
  }

  return {
    log,
    openTasks: () => openTasksOf(store),

    async step(who: string, parts: number): Promise<void> {
      const team = await sessionOf(who);
      if (!team) return;
      const next = await team.nextAction({ timeout_seconds: 0 }, patient);
      log.push(`${who} ${JSON.stringify(next)}`);
      if (next.action === 'finish' || next.action === 'task_lost' || next.action === 'wait') {
        await team.logout();
        sessions.delete(who);
        return;
      }
      try {
        await follow(team, next, parts);
      } catch (error) {
        throw new Error(`${who} was refused: ${(error as Error).message} ${log.slice(-6).join('\n')}`);
      }
    },

    async disturb(who: string, mischief: Mischief): Promise<void> {
      const team = sessions.get(who)?.team;
      const [one] = (await store.admin.tasks({ status: 'in_progress' })).toReversed();
      if (mischief !== 'none') log.push(`${who} ${mischief}`);
      // What nobody told it to do may well be refused.
      const refused = () => undefined;
      if (mischief === 'fail')
        await team?.reportCompleted({ result: 'failed', summary: 'No.' }).catch(refused);
      if (mischief === 'release') await team?.releaseTask({}).catch(refused);
      if (mischief === 'leave') await team?.logout().catch(refused);
      if (mischief === 'die') sessions.delete(who);
      if (mischief === 'takeBack' && one) await store.admin.assignTask(one.task_id, undefined);
      if (mischief === 'cancel' && one) await store.admin.cancelTask(one.task_id).catch(refused);
      if (mischief === 'backlog') {
        const [todo] = await store.admin.tasks({ status: 'todo' });
        if (todo) await team?.updateTaskStatus({ task_id: todo.task_id, status: 'backlog' }).catch(refused);
      }
    },

    async letTimePass(): Promise<void> {
      clock.now += 11 * 60_000;
      for (const task of await openTasksOf(store)) {
        // Roots that are blocked or put off are a person's affair.
        const isStuck = task.status === 'blocked' || task.status === 'backlog';
        if (isStuck && task.parent_task_id === undefined) await store.admin.cancelTask(task.task_id);
      }
    },

    async assertKept(): Promise<void> {
      const tasks = await store.admin.tasks({});
      const running = tasks.filter((task) => task.status === 'in_progress');
      expect(running.every((task) => task.assignee_id !== undefined)).toBe(true);
      const byId = new Map(tasks.map((task) => [task.task_id, task]));
      for (const task of tasks.filter(({ status }) => status === 'done')) {
        const open = tasks.filter(
          (part) => part.parent_task_id === task.task_id && !['done', 'cancelled'].includes(part.status),
        );
        expect(open, byId.get(task.task_id)?.title).toEqual([]);
      }
    },
  };
}

async function openTasksOf(store: TeamStore) {
  return (await store.admin.tasks({})).filter(({ status }) => status !== 'done' && status !== 'cancelled');
}

/** Does what the step says, and nothing else. */
async function follow(
  team: Team,
  { action, task_id, needs = {} }: Answered<'nextAction'>,
  parts: number,
): Promise<unknown> {
  const first = (key: string) => needs[key]?.[0];
  switch (action) {
    case 'get_task':
      return team.myTask();
    case 'start_task':
      return team.updateTaskStatus({ task_id: task_id ?? '', status: 'in_progress' });
    case 'claim_task':
      return team.claimTask({ task_id });
    case 'execute':
    case 'complete':
      return team.reportCompleted({ result: 'success' });
    case 'create_subtasks': {
      const { task } = await team.myTask();
      if (task?.parent_task_id !== undefined) return team.reportCompleted({ result: 'success' });
      return team.createTasks({
        parent_task_id: task_id,
        tasks: Array.from({ length: parts }, (_, n) => ({
          local_id: `${n}`,
          title: `Part ${n}`,
          ...(n > 0 && { depends_on: [`${n - 1}`] }),
        })),
      });
    }
    case 'execute_subtask':
      return team.claimTask({ task_id: first('ready') });
    case 'dispatch':
      return team.assignTask({ task_id: first('ready') ?? '', assignee_id: first('idle') ?? 'a' });
    case 'adjust':
    case 'resolve_blocked': {
      const deadlocked = first('deadlocked');
      if (deadlocked) return team.updateTaskStatus({ task_id: deadlocked, status: 'cancelled' });
      return team.updateTaskStatus({ task_id: first('blocked') ?? first('backlog') ?? '', status: 'todo' });
    }
    default:
      throw new Error(`an unknown step: ${action}`);
  }
}
