import { afterAll, describe, expect, test } from 'vitest';
import { startEngines } from '../store/engines.ts';
import { needs } from '../support/needs.ts';
import { enter, openTeam, passkey, patient, settle } from './people.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));

describe.each(engines)('on $name', ({ missing, createPlace }) => {
  async function openWorld() {
    const place = await createPlace();
    const store = openTeam(await place.open());
    await settle(store);
    const tasks: Record<string, string> = {};
    for (const id of ['m', 'a', 'b']) {
      tasks[id] = await store.admin.addTask({ projectId: 'p', title: `Task of ${id}`, assigneeId: id });
    }
    const [m, a, b] = [await enter(store, 'm'), await enter(store, 'a'), await enter(store, 'b')];
    return { store, tasks, m: m.team, a: a.team, b: b.team };
  }

  test('a worker changes its own tasks and nobody else’s', needs(missing), async () => {
    const { store, tasks, a } = await openWorld();
    const others = tasks.b ?? '';
    for (const status of ['in_progress', 'cancelled', 'backlog'] as const) {
      await expect(a.updateTaskStatus({ task_id: others, status })).rejects.toMatchObject({
        code: 'forbidden',
      });
    }
    await expect(a.releaseTask({ task_id: others })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(a.claimTask({ task_id: others })).rejects.toMatchObject({ code: 'conflict' });
    await expect(a.createTask({ title: 'For b', assignee_id: 'b' })).rejects.toMatchObject({
      code: 'forbidden',
    });
    // Its own it may not simply drop, since somebody else wants it.
    await expect(a.updateTaskStatus({ task_id: tasks.a ?? '', status: 'cancelled' })).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect((await store.admin.tasks({})).map((task) => task.status)).toEqual(['todo', 'todo', 'todo']);
  });

  test('statuses follow each other as the document says, and slots are kept', needs(missing), async () => {
    const { tasks, a } = await openWorld();
    const task_id = tasks.a ?? '';
    await expect(a.updateTaskStatus({ task_id, status: 'done' })).rejects.toMatchObject({ code: 'conflict' });
    await a.updateTaskStatus({ task_id, status: 'in_progress' });
    const { task_id: second } = await a.createTask({ title: 'Second', assignee_id: 'a' });
    await expect(a.updateTaskStatus({ task_id: second, status: 'in_progress' })).rejects.toMatchObject({
      code: 'conflict',
      message: `Agent a has 1 of 1 tasks in progress: ${task_id}.`,
    });
    // A task that waits for its own subtask does not take the slot from it.
    const { task_id: part } = await a.createTask({
      title: 'Part',
      parent_task_id: task_id,
      assignee_id: 'a',
    });
    await a.updateTaskStatus({ task_id: part, status: 'in_progress' });
    await expect(a.updateTaskStatus({ task_id: part, status: 'backlog' })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await a.updateTaskStatus({ task_id: part, status: 'done' })).task.status).toBe('done');
    await expect(a.updateTaskStatus({ task_id: part, status: 'todo' })).rejects.toMatchObject({
      suggestion: { en: 'done is final.' },
    });
  });

  test('slots hold when many are begun at the same moment', needs(missing), async () => {
    const { store, a, tasks } = await openWorld();
    const made = await a.createTasks({
      tasks: Array.from({ length: 8 }, (_, n) => ({ local_id: `${n}`, title: `T${n}`, assignee_id: 'a' })),
    });
    await Promise.allSettled(
      [tasks.a ?? '', ...made.tasks.map((task) => task.task_id)].map((task_id) =>
        a.updateTaskStatus({ task_id, status: 'in_progress' }),
      ),
    );
    const running = await store.admin.tasks({ status: 'in_progress' });
    expect(running).toHaveLength(1);
  });

  test(
    'a request is granted at once from above, else by anybody above the one who would do it',
    needs(missing),
    async () => {
      const { store, m, a, b } = await openWorld();
      expect(await m.requestTask({ title: 'From above', assignee_id: 'a' })).toMatchObject({
        status: 'approved',
      });
      const asked = await a.requestTask({ title: 'From beside', assignee_id: 'b' });
      expect(asked).toEqual({ request_id: expect.any(String), status: 'pending' });
      const refused = await a.requestTask({ title: 'Nonsense', assignee_id: 'b' });
      expect((await m.subordinates()).pending_requests).toMatchObject([
        { requester_id: 'a', assignee_id: 'b', title: 'From beside' },
        { title: 'Nonsense' },
      ]);
      await expect(b.approveRequest({ request_id: asked.request_id })).rejects.toMatchObject({
        code: 'not_found',
      });
      const { task_id } = await m.approveRequest({ request_id: asked.request_id });
      expect(await m.approveRequest({ request_id: asked.request_id })).toEqual({ success: true, task_id });
      await m.rejectRequest({ request_id: refused.request_id, reason: 'No.' });
      await expect(m.approveRequest({ request_id: refused.request_id })).rejects.toMatchObject({
        code: 'conflict',
      });
      expect((await a.notifications({})).notifications.map((one) => [one.kind, one.message])).toEqual([
        ['task_assigned', 'Task of a'],
        ['task_assigned', 'From above'],
        ['request_approved', 'From beside'],
        ['request_rejected', 'Nonsense: No.'],
      ]);
      expect((await store.admin.task(task_id)).task).toMatchObject({ assignee_id: 'b', created_by: 'a' });
    },
  );

  test('nobody divides, runs or reports what is another’s', needs(missing), async () => {
    const { store, tasks, m, a, b } = await openWorld();
    const task_id = tasks.a ?? '';
    const refused = { code: 'forbidden', message: `Task ${task_id} belongs to agent a.` };
    await expect(b.createTask({ title: 'Stone', parent_task_id: task_id })).rejects.toMatchObject({
      ...refused,
      suggestion: { en: expect.stringContaining('request_task') },
    });
    await expect(
      b.createTasks({ parent_task_id: task_id, tasks: [{ local_id: '1', title: 'Stone' }] }),
    ).rejects.toMatchObject(refused);
    await expect(b.startExecution({ task_id })).rejects.toMatchObject(refused);
    await m.createTask({ title: 'From above', parent_task_id: task_id });
    await a.claimTask({ task_id });
    const { execution_id } = await a.startExecution({});
    await expect(b.completeExecution({ execution_id, status: 'failed' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await a.completeExecution({ execution_id, status: 'success', summary: 'First.' });
    await a.completeExecution({ execution_id, status: 'success' });
    await expect(a.completeExecution({ execution_id, status: 'failed' })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await a.history({ limit: 5 })).executions).toMatchObject([
      { status: 'success', summary: 'First.' },
    ]);
    expect((await store.admin.tasks({})).map((task) => task.title)).not.toContain('Stone');
  });

  test('who is taken off a project leaves its work to others, who are woken', needs(missing), async () => {
    const { store, tasks, a, b } = await openWorld();
    await a.claimTask({});
    await b.claimTask({});
    await b.reportCompleted({ result: 'success' });
    const waiting = b.nextAction({ timeout_seconds: 50 }, patient);
    expect(await store.admin.unassign('a', 'p')).toBe(true);
    expect(await waiting).toMatchObject({ action: 'claim_task' });
    expect(await b.claimTask({})).toMatchObject({ task: { task_id: tasks.a, assignee_id: 'b' } });
    await expect(a.profile()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await store.admin.unassign('a', 'p')).toBe(false);
    const { events } = await store.admin.task(tasks.a ?? '');
    expect(events.map((event) => event.reason)).toContain('Agent a has left the project.');
  });

  test('who owns the whole clears its parts, and disturbs nobody at work', needs(missing), async () => {
    const { tasks, m, a, b } = await openWorld();
    const whole = tasks.a ?? '';
    const made = await m.createTasks({
      parent_task_id: whole,
      tasks: [
        { local_id: '1', title: 'Dead' },
        { local_id: '2', title: 'Taken' },
      ],
    });
    const [dead = '', taken = ''] = made.tasks.map((task) => task.task_id);
    await a.claimTask({ task_id: whole });
    await expect(b.updateTaskStatus({ task_id: dead, status: 'cancelled' })).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(await a.updateTaskStatus({ task_id: dead, status: 'cancelled' })).toMatchObject({
      task: { status: 'cancelled' },
    });
    await b.claimTask({ task_id: taken });
    await expect(a.updateTaskStatus({ task_id: taken, status: 'todo' })).rejects.toMatchObject({
      code: 'forbidden',
      message: `Task ${taken} belongs to agent b.`,
    });
    await b.reportCompleted({ result: 'blocked', summary: 'No key.' });
    expect(await a.updateTaskStatus({ task_id: taken, status: 'todo' })).toMatchObject({
      task: { status: 'todo', assignee_id: 'b' },
    });
  });

  test('a person goes on with a blocked task by giving it to somebody', needs(missing), async () => {
    const { store, tasks, a, b } = await openWorld();
    await a.claimTask({});
    await a.reportCompleted({ result: 'blocked', summary: 'No key.' });
    const task_id = tasks.a ?? '';
    await store.admin.assignTask(task_id, 'b');
    expect((await store.admin.task(task_id)).task).toMatchObject({ status: 'todo', assignee_id: 'b' });
    await b.claimTask({});
    await b.reportCompleted({ result: 'success' });
    expect(await b.nextAction({ timeout_seconds: 0 }, patient)).toMatchObject({
      action: 'claim_task',
      task_id,
    });
  });

  test('a deadlock is named, and cancelling a task takes its parts along', needs(missing), async () => {
    const { store, tasks, m } = await openWorld();
    const whole = tasks.m ?? '';
    await m.updateTaskStatus({ task_id: whole, status: 'in_progress' });
    await m.myTask();
    const made = await m.createTasks({
      parent_task_id: whole,
      tasks: [
        { local_id: 'x', title: 'X' },
        { local_id: 'y', title: 'Y', depends_on: ['x'] },
        { local_id: 'z', title: 'Z', depends_on: ['y'] },
      ],
    });
    const [x = '', y = '', z = ''] = made.tasks.map((task) => task.task_id);
    await m.updateTaskStatus({ task_id: x, status: 'cancelled', reason: 'Not wanted.' });
    expect(await m.nextAction({ timeout_seconds: 0 }, patient)).toMatchObject({
      action: 'adjust',
      needs: { deadlocked: [y, z] },
    });
    await store.admin.cancelTask(whole);
    expect((await store.admin.tasks({ status: 'cancelled' })).map((task) => task.task_id).toSorted()).toEqual(
      [whole, x, y, z].toSorted(),
    );
    await expect(m.createTask({ title: 'More', parent_task_id: whole })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  test('a removed agent, a new passkey and a paused project end what was open', needs(missing), async () => {
    const { store, tasks, a, b } = await openWorld();
    await a.claimTask({});
    await store.admin.removeAgent('a');
    await expect(a.profile()).rejects.toMatchObject({ code: 'unauthenticated' });
    expect((await store.admin.task(tasks.a ?? '')).task).toMatchObject({ status: 'todo' });
    expect((await store.admin.task(tasks.a ?? '')).task.assignee_id).toBeUndefined();
    await store.admin.changeAgent('b', { passkey: `${passkey} anew` });
    await expect(b.profile()).rejects.toMatchObject({ code: 'unauthenticated' });
    await store.admin.changeProject('p', { status: 'paused' });
    await expect(enter(store, 'm')).rejects.toMatchObject({ code: 'forbidden' });
  });

  test(
    'a process that ended frees what it claimed, and the agent may be started again',
    needs(missing),
    async () => {
      const { store, m, tasks } = await openWorld();
      const coordinator = store.lend(
        { kind: 'coordinator', principal: 'coordinator', sessionId: 'c', remote: true },
        { transport: 'http' },
      );
      expect(await coordinator.agentAction({ agent_id: 'm', project_id: 'p' })).toMatchObject({
        action: 'hold',
      });
      await m.logout();
      const start = await coordinator.agentAction({ agent_id: 'm', project_id: 'p' });
      expect(start).toMatchObject({ action: 'start', start: { task_id: tasks.m } });
      await enter(store, 'm');
      expect(await coordinator.processExit({ session_id: start.spawn_id ?? '', exit_code: 137 })).toEqual({
        success: true,
        task_id: tasks.m,
      });
      expect(await coordinator.agentAction({ agent_id: 'm', project_id: 'p' })).toMatchObject({
        action: 'start',
      });
      await expect(coordinator.processExit({ session_id: 'ses_none' })).rejects.toMatchObject({
        code: 'not_found',
      });
      await coordinator.agentError({ agent_id: 'a', project_id: 'p', message: 'No model.' });
      await expect(
        coordinator.agentError({ agent_id: 'a', project_id: 'none', message: 'x' }),
      ).rejects.toMatchObject({ code: 'not_found', message: 'There is no project "none".' });
      await expect(coordinator.agentAction({ agent_id: '%', project_id: 'p' })).rejects.toMatchObject({
        message: 'There is no agent "%".',
      });
      expect(
        (await coordinator.managedAgents()).agents.map((agent) => [agent.agent_id, agent.sessions.length]),
      ).toEqual([
        ['a', 1],
        ['b', 1],
        ['m', 0],
        ['outsider', 0],
      ]);
    },
  );
});
