import { afterAll, describe, expect, test } from 'vitest';
import type { Team } from '../../src/contract/team/team.ts';
import { startEngines } from '../store/engines.ts';
import { needs } from '../support/needs.ts';
import { enter, openTeam, passkey, patient, settle, strangerAt } from './people.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));

describe.each(engines)('on $name', ({ missing, createPlace }) => {
  test(
    'a manager divides its task, workers do the parts, and the whole is reported',
    needs(missing),
    async () => {
      const place = await createPlace();
      const store = openTeam(await place.open());
      await settle(store);
      const whole = await store.admin.addTask({
        projectId: 'p',
        title: 'Build a house',
        assigneeId: 'm',
        start: true,
      });
      const m = (await enter(store, 'm')).team;
      expect(await m.nextAction({ timeout_seconds: 0 }, patient)).toMatchObject({
        action: 'get_task',
        task_id: whole,
      });
      expect(await m.myTask()).toMatchObject({ task: { task_id: whole, status: 'in_progress' } });
      expect(await m.nextAction({ timeout_seconds: 0 }, patient)).toMatchObject({
        action: 'create_subtasks',
      });
      const { tasks } = await m.createTasks({
        parent_task_id: whole,
        tasks: [
          { local_id: 'walls', title: 'Walls' },
          { local_id: 'roof', title: 'Roof', depends_on: ['walls'] },
        ],
      });
      const [walls = '', roof = ''] = tasks.map((task) => task.task_id);
      // A lost reply is asked for again, and answered with the same tasks.
      expect(
        await m.createTasks({ parent_task_id: whole, tasks: [{ local_id: 'x', title: 'Roof' }] }),
      ).toEqual({ tasks: [{ local_id: 'x', task_id: roof, existed: true, status: 'todo' }] });
      expect(await m.nextAction({ timeout_seconds: 0 }, patient)).toMatchObject({
        action: 'dispatch',
        needs: { ready: [walls] },
      });
      await m.assignTask({ task_id: walls, assignee_id: 'a' });
      expect(await m.nextAction({ timeout_seconds: 0 }, patient)).toMatchObject({ action: 'wait' });
      await expect(m.reportCompleted({ result: 'success' })).rejects.toMatchObject({
        code: 'conflict',
        details: { open_subtasks: [walls, roof] },
      });

      const a = (await enter(store, 'a')).team;
      await a.myTask();
      expect(await a.nextAction({ timeout_seconds: 0 }, patient)).toMatchObject({ action: 'start_task' });
      await a.updateTaskStatus({ task_id: walls, status: 'in_progress' });
      expect(await a.nextAction({ timeout_seconds: 0 }, patient)).toMatchObject({ action: 'execute' });
      await expect(a.claimTask({ task_id: roof })).rejects.toMatchObject({ code: 'conflict' });
      expect(await a.reportCompleted({ result: 'success', summary: 'Stands.' })).toMatchObject({
        status: 'done',
      });
      expect(await a.nextAction({ timeout_seconds: 0 }, patient)).toMatchObject({ action: 'claim_task' });
      expect(await m.notifications({})).toMatchObject({
        notifications: [{ kind: 'task_assigned' }, { kind: 'task_completed', task_id: walls }],
      });
      const claimed = await a.claimTask({});
      expect(claimed.task).toMatchObject({ task_id: roof, assignee_id: 'a', status: 'in_progress' });
      expect(await a.claimTask({})).toEqual(claimed);
      await a.reportCompleted({ result: 'success' });
      expect(await m.nextAction({ timeout_seconds: 0 }, patient)).toMatchObject({ action: 'complete' });
      await m.reportCompleted({ result: 'success' });
      expect((await store.admin.task(whole)).task.status).toBe('done');
      expect((await store.admin.task(roof)).events.map((event) => event.what)).toEqual([
        'created',
        'claimed',
        'status',
      ]);
    },
  );

  test('a lease that ran out lets another in, and the late owner is told who', needs(missing), async () => {
    let now = 1_000_000;
    const place = await createPlace();
    const store = openTeam(await place.open(() => now), () => now);
    await settle(store);
    const id = await store.admin.addTask({ projectId: 'p', title: 'One' });
    const a = await enter(store, 'a');
    const b = await enter(store, 'b');
    await a.team.claimTask({});
    expect(await b.team.claimTask({})).toEqual({ reason: 'no_free_task' });
    now += 9 * 60_000;
    // A call of the session renews the lease.
    await store.sessions.session(a.token, { transport: 'http' });
    now += 9 * 60_000;
    expect(await b.team.claimTask({})).toEqual({ reason: 'no_free_task' });
    now += 60_000;
    expect((await b.team.claimTask({})).task).toMatchObject({ task_id: id, assignee_id: 'b' });
    const lost = { code: 'conflict', message: `Task ${id} is no longer yours: agent b has it now.` };
    await expect(a.team.startExecution({})).rejects.toMatchObject(lost);
    await expect(a.team.reportCompleted({ result: 'success' })).rejects.toMatchObject(lost);
    expect(await a.team.nextAction({ timeout_seconds: 0 }, patient)).toMatchObject({ action: 'task_lost' });
    await b.team.reportCompleted({ result: 'success' });
    expect((await store.admin.task(id)).task).toMatchObject({ status: 'done', assignee_id: 'b' });
  });

  test('a batch with a circle or an unknown dependency leaves nothing behind', needs(missing), async () => {
    const place = await createPlace();
    const store = openTeam(await place.open());
    await settle(store);
    await store.admin.addTask({ projectId: 'p', title: 'Mine', assigneeId: 'a' });
    const { team } = await enter(store, 'a');
    const before = await team.listTasks({ limit: 50 });
    await expect(
      team.createTasks({
        tasks: [
          { local_id: '1', title: 'A', depends_on: ['2'] },
          { local_id: '2', title: 'B', depends_on: ['1'] },
        ],
      }),
    ).rejects.toMatchObject({ code: 'invalid_parameter' });
    await expect(
      team.createTasks({
        tasks: [
          { local_id: '1', title: 'A' },
          { local_id: '2', title: 'B', depends_on: ['tsk_none'] },
        ],
      }),
    ).rejects.toMatchObject({ code: 'not_found' });
    expect(await team.listTasks({ limit: 50 })).toEqual(before);
  });

  test('no part can wait for its whole, nor for what waits for that', needs(missing), async () => {
    const place = await createPlace();
    const store = openTeam(await place.open());
    await settle(store);
    const whole = await store.admin.addTask({ projectId: 'p', title: 'Whole', assigneeId: 'm' });
    const { team } = await enter(store, 'm');
    const after = (await team.createTask({ title: 'After it', depends_on: [whole] })).task_id;
    const part = (await team.createTask({ title: 'Part', parent_task_id: whole })).task_id;
    const free = (await team.createTask({ title: 'Free' })).task_id;
    const gone = (await team.createTask({ title: 'Gone' })).task_id;
    await team.updateTaskStatus({ task_id: gone, status: 'cancelled' });
    const before = await team.listTasks({ limit: 50 });

    for (const [parent_task_id, needed] of [
      [whole, whole],
      [whole, after],
      [part, whole],
      [part, part],
      [part, after],
    ] as const) {
      await expect(
        team.createTask({ title: 'Stuck', parent_task_id, depends_on: [free, needed] }),
      ).rejects.toMatchObject({ code: 'invalid_parameter', message: expect.stringContaining(needed) });
      await expect(
        team.createTasks({
          parent_task_id,
          tasks: [
            { local_id: '1', title: 'A', depends_on: ['2'] },
            { local_id: '2', title: 'B', depends_on: [needed] },
          ],
        }),
      ).rejects.toMatchObject({ code: 'invalid_parameter' });
    }
    await expect(team.createTask({ title: 'Stuck', depends_on: [gone] })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await team.listTasks({ limit: 50 })).toEqual(before);
    // A part of a part may wait for a part beside it, and what comes after the whole for anything of it.
    await team.createTask({ title: 'Below', parent_task_id: part, depends_on: [free] });
    await team.createTask({ title: 'Last', depends_on: [part, after] });
  });

  test('a finished task is not given for a new one of its title', needs(missing), async () => {
    const place = await createPlace();
    const store = openTeam(await place.open());
    await settle(store);
    await store.admin.addTask({ projectId: 'p', title: 'Work', assigneeId: 'm' });
    const { team } = await enter(store, 'm');
    const { task_id: first } = await team.createTask({ title: 'Write the tests', assignee_id: 'm' });
    expect(await team.createTask({ title: 'Write the tests' })).toEqual({
      task_id: first,
      existed: true,
      status: 'todo',
    });
    await team.claimTask({ task_id: first });
    await team.updateTaskStatus({ task_id: first, status: 'done' });

    const { task_id: second } = await team.createTask({ title: 'Write the tests', assignee_id: 'm' });
    expect(second).not.toBe(first);
    const batch = await team.createTasks({ tasks: [{ local_id: '1', title: 'Write the tests' }] });
    expect(batch).toEqual({ tasks: [{ local_id: '1', task_id: second, existed: true, status: 'todo' }] });
  });

  test(
    'who made a task hears that it is blocked, and that one it waits for was cancelled',
    needs(missing),
    async () => {
      const place = await createPlace();
      const store = openTeam(await place.open());
      await settle(store);
      await store.admin.addTask({ projectId: 'p', title: 'Lead', assigneeId: 'm', start: true });
      const m = (await enter(store, 'm')).team;
      const { task_id: given } = await m.createTask({ title: 'Given', assignee_id: 'a' });
      const a = (await enter(store, 'a')).team;
      await a.claimTask({ task_id: given });
      await a.reportCompleted({ result: 'blocked', summary: 'no key' });
      const { task_id: first } = await m.createTask({ title: 'First' });
      const { task_id: second } = await m.createTask({
        title: 'Second',
        depends_on: [first],
        assignee_id: 'b',
      });
      await m.updateTaskStatus({ task_id: first, status: 'cancelled' });

      const told = async (team: Team) =>
        (await team.notifications({})).notifications.map(({ kind, task_id, message }) => [
          kind,
          task_id,
          message,
        ]);
      expect((await told(m)).slice(1)).toEqual([['task_blocked', given, 'Given: no key']]);
      await store.admin.addTask({ projectId: 'p', title: 'Other', assigneeId: 'b', start: true });
      const b = (await enter(store, 'b')).team;
      expect(await told(b)).toContainEqual([
        'dependency_cancelled',
        second,
        'Second: it waits for First, which was cancelled',
      ]);
      await expect(b.updateTaskStatus({ task_id: second, status: 'in_progress' })).rejects.toMatchObject({
        details: { waits_for: [first] },
        suggestion: { en: 'It can never start: cancel it, or create it anew without that dependency.' },
      });
      // The manager cancelled it itself; a person's cancelling is news for it.
      const { task_id: third } = await m.createTask({ title: 'Third' });
      const { task_id: fourth } = await m.createTask({ title: 'Fourth', depends_on: [third] });
      await store.admin.cancelTask(third);
      expect(await told(m)).toContainEqual([
        'dependency_cancelled',
        fourth,
        'Fourth: it waits for Third, which was cancelled',
      ]);
    },
  );

  test('an agent sees and touches its own project only', needs(missing), async () => {
    const place = await createPlace();
    const store = openTeam(await place.open());
    await settle(store);
    const foreign = await store.admin.addTask({ projectId: 'q', title: 'Secret', assigneeId: 'outsider' });
    await store.admin.addTask({ projectId: 'p', title: 'Mine', assigneeId: 'a' });
    const { team } = await enter(store, 'a');
    await expect(team.getTask({ task_id: foreign })).rejects.toMatchObject({ code: 'not_found' });
    await expect(team.claimTask({ task_id: foreign })).rejects.toMatchObject({ code: 'not_found' });
    await expect(team.createTask({ title: 'x', depends_on: [foreign] })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(team.requestTask({ title: 'x', assignee_id: 'outsider' })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await team.listTasks({ limit: 50 })).tasks.map((task) => task.title)).toEqual(['Mine']);
    await expect(
      strangerAt(store).authenticate({ agent_id: 'a', passkey, project_id: 'q' }),
    ).rejects.toMatchObject({ code: 'forbidden' });
  });
});
