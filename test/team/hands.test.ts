import { afterAll, describe, expect, test } from 'vitest';
import type { Team } from '../../src/contract/team/team.ts';
import { startEngines } from '../store/engines.ts';
import { needs } from '../support/needs.ts';
import { enter, openTeam, patient, settle } from './people.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));
const minute = 60_000;

/** Whose hands a task is in: who is started for it, who goes on with it, and who is told that it is gone. */
describe.each(engines)('on $name', ({ missing, createPlace }) => {
  async function openWorld() {
    const clock = { now: 1_700_000_000_000 };
    const place = await createPlace();
    const store = openTeam(await place.open(() => clock.now), () => clock.now);
    await settle(store);
    const coordinator = store.lend(
      { kind: 'coordinator', principal: 'coordinator', sessionId: 'c', remote: true },
      { transport: 'http' },
    );
    const add = (title: string, assigneeId?: string, start?: boolean) =>
      store.admin.addTask({ projectId: 'p', title, assigneeId, start });
    const action = (agent_id: string) => coordinator.agentAction({ agent_id, project_id: 'p' });
    return { clock, store, add, action };
  }

  const next = (team: Team) => team.nextAction({ timeout_seconds: 0 }, patient);

  test('a manager who takes back a worker’s task keeps its own', needs(missing), async () => {
    const { store, add } = await openWorld();
    const whole = await add('Whole', 'm', true);
    const part = await add('Part', 'a');
    const [m, a] = [(await enter(store, 'm')).team, (await enter(store, 'a')).team];
    await m.myTask();
    await a.claimTask({});
    await expect(m.assignTask({ task_id: part, assignee_id: 'b' })).rejects.toMatchObject({
      code: 'conflict',
      suggestion: { en: 'Take it back with release_task first.' },
    });
    await m.releaseTask({ task_id: part, reason: 'b knows more.' });
    await m.assignTask({ task_id: part, assignee_id: 'b' });
    await expect(a.reportCompleted({ result: 'success' })).rejects.toMatchObject({
      code: 'conflict',
      message: `Task ${part} is no longer yours: agent b has it now.`,
    });
    expect(await next(a)).toMatchObject({ action: 'task_lost' });
    expect(await next(m)).toMatchObject({ action: 'create_subtasks', task_id: whole });
    expect(await m.reportCompleted({ result: 'success' })).toMatchObject({ task_id: whole, status: 'done' });
  });

  test('nobody is started for a task that finds no free slot', needs(missing), async () => {
    const { store, add, action } = await openWorld();
    const first = await add('First', 'a', true);
    const second = await add('Second', 'a');
    const a = (await enter(store, 'a')).team;
    expect(await action('a')).toEqual({ action: 'hold', reason: 'no_work' });
    await expect(enter(store, 'a')).rejects.toThrow('no_work');
    await a.myTask();
    expect(await next(a)).toMatchObject({ action: 'execute', task_id: first });
    await a.reportCompleted({ result: 'success' });
    // The same session goes on with what was given to its agent meanwhile.
    expect(await next(a)).toMatchObject({ action: 'claim_task', tool: 'claim_task', task_id: second });
    expect(await a.claimTask({ task_id: second })).toMatchObject({ task: { status: 'in_progress' } });
  });

  test('an agent whose process died gets its task back once the lease is over', needs(missing), async () => {
    const { clock, store, add, action } = await openWorld();
    const id = await add('Work', 'a', true);
    const dead = (await enter(store, 'a')).team;
    clock.now += 9 * minute;
    expect(await action('a')).toMatchObject({ action: 'hold' });
    clock.now += minute;
    expect(await action('a')).toMatchObject({ action: 'start', start: { task_id: id } });
    const heir = (await enter(store, 'a')).team;
    expect(await heir.myTask()).toMatchObject({ task: { task_id: id } });
    await expect(dead.reportCompleted({ result: 'success' })).rejects.toMatchObject({
      code: 'conflict',
      message: `Task ${id} is no longer this session's: another session of yours has it now.`,
    });
    expect(await next(dead)).toMatchObject({ action: 'task_lost' });
    expect(await heir.reportCompleted({ result: 'success' })).toMatchObject({ status: 'done' });
  });

  test('who works long at a part keeps the whole', needs(missing), async () => {
    const { clock, store, add } = await openWorld();
    const whole = await add('Whole');
    const a = await enter(store, 'a');
    const b = (await enter(store, 'b')).team;
    await a.team.claimTask({});
    await a.team.createTasks({ parent_task_id: whole, tasks: [{ local_id: '1', title: 'Part' }] });
    const { task: part } = await a.team.claimTask({ task_id: await onlyPart(a.team, whole) });
    for (let waited = 0; waited < 20; waited += 5) {
      clock.now += 5 * minute;
      await store.sessions.session(a.token, { transport: 'http' });
    }
    expect(await b.claimTask({})).toEqual({ reason: 'no_free_task' });
    await a.team.reportCompleted({ result: 'success' });
    expect(await next(a.team)).toMatchObject({ action: 'claim_task', task_id: whole });
    await a.team.claimTask({ task_id: whole });
    expect(await a.team.reportCompleted({ result: 'success' })).toMatchObject({ task_id: whole });
    expect(part).toMatchObject({ parent_task_id: whole });
  });

  test('two sessions of one agent do not work at one task', needs(missing), async () => {
    const { store, add } = await openWorld();
    const id = await add('Work', 'a', true);
    await store.admin.changeAgent('a', { maxParallelTasks: 2 });
    await add('Free');
    const first = (await enter(store, 'a')).team;
    const second = (await enter(store, 'a')).team;
    await expect(second.claimTask({ task_id: id })).rejects.toMatchObject({
      code: 'conflict',
      suggestion: { en: 'Leave it to that session.' },
    });
    expect(await second.claimTask({})).toMatchObject({ task: { title: 'Free' } });
    await first.reportCompleted({ result: 'success' });
    expect((await store.admin.task(id)).task.status).toBe('done');
  });

  test('a step that would be refused is not told', needs(missing), async () => {
    const { store, add } = await openWorld();
    const id = await add('Work', 'a');
    const other = await add('Before', 'b', true);
    const a = (await enter(store, 'a')).team;
    await a.myTask();
    expect(await next(a)).toMatchObject({ action: 'start_task' });
    const m = await managerOf(store, add);
    await m.updateTaskStatus({ task_id: id, status: 'backlog' });
    expect(await next(a)).toMatchObject({ action: 'finish' });
    await m.updateTaskStatus({ task_id: id, status: 'todo' });
    const held = await a.createTask({ title: 'Held', assignee_id: 'a', depends_on: [other] });
    expect(await next(a)).toMatchObject({ action: 'start_task', task_id: id });
    await a.claimTask({ task_id: id });
    await a.reportCompleted({ result: 'success' });
    expect(await next(a)).toMatchObject({ action: 'finish' });
    await expect(a.claimTask({ task_id: held.task_id })).rejects.toMatchObject({
      code: 'conflict',
      details: { waits_for: [other] },
    });
  });

  test('a manager is told of parts that it kept or left in the backlog', needs(missing), async () => {
    const { store, add, action } = await openWorld();
    const whole = await add('Whole', 'm', true);
    const m = (await enter(store, 'm')).team;
    await m.myTask();
    const own = await m.createTask({ title: 'Own', parent_task_id: whole, assignee_id: 'm' });
    const later = await m.createTask({ title: 'Later', parent_task_id: whole, status: 'backlog' });
    expect(await next(m)).toMatchObject({ action: 'execute_subtask', needs: { ready: [own.task_id] } });
    // One session sees to the whole and its part.
    await m.claimTask({ task_id: own.task_id });
    expect(await action('m')).toEqual({ action: 'hold', reason: 'no_work' });
    await m.myTask();
    expect(await next(m)).toMatchObject({ action: 'create_subtasks', task_id: own.task_id });
    await m.reportCompleted({ result: 'success' });
    // The reply was lost, and the report comes again: the whole is not reported by it.
    expect(await m.reportCompleted({ result: 'success' })).toMatchObject({ task_id: own.task_id });
    expect(await next(m)).toMatchObject({ action: 'claim_task', task_id: whole });
    await m.claimTask({ task_id: whole });
    await m.myTask();
    expect(await next(m)).toMatchObject({ action: 'adjust', needs: { backlog: [later.task_id] } });
    await m.updateTaskStatus({ task_id: later.task_id, status: 'todo' });
    expect(await next(m)).toMatchObject({ action: 'dispatch', needs: { ready: [later.task_id] } });
  });

  test('a manager is told who is idle, and one of nobody does its work itself', needs(missing), async () => {
    const { store, add } = await openWorld();
    const whole = await add('Whole', 'm', true);
    await add('Other', 'a', true);
    const m = (await enter(store, 'm')).team;
    await m.myTask();
    const { task_id: part } = await m.createTask({ title: 'Part', parent_task_id: whole });
    expect(await next(m)).toMatchObject({ action: 'dispatch', needs: { ready: [part], idle: ['b'] } });
    for (const id of ['a', 'b']) await store.admin.unassign(id, 'p');
    expect(await next(m)).toMatchObject({ action: 'execute_subtask', needs: { ready: [part] } });
    await m.claimTask({ task_id: part });
    await m.myTask();
    expect(await next(m)).toMatchObject({ action: 'execute', task_id: part });
  });

  test('the report of a failed attempt is not that of the next one', needs(missing), async () => {
    const { clock, store, add } = await openWorld();
    const id = await add('Work');
    const a = (await enter(store, 'a')).team;
    await a.claimTask({});
    await a.reportCompleted({ result: 'failed', summary: 'No tiles.' });
    expect((await store.admin.task(id)).task).toMatchObject({ result: 'failed', reason: 'No tiles.' });
    await a.updateTaskStatus({ task_id: id, status: 'in_progress' });
    expect((await store.admin.task(id)).task).not.toHaveProperty('result');
    await add('Another');
    const b = (await enter(store, 'b')).team;
    await b.claimTask({});
    await b.reportCompleted({ result: 'success' });
    // Whoever takes over an abandoned task does not find it in todo.
    clock.now += 11 * minute;
    await b.claimTask({ task_id: id });
    const { events } = await store.admin.task(id);
    expect(events.at(-1)).toMatchObject({ what: 'claimed', by: 'b', from: 'in_progress', to: 'in_progress' });
  });

  async function onlyPart(team: Team, parent_task_id: string): Promise<string> {
    const { tasks } = await team.listTasks({ parent_task_id, limit: 2 });
    expect(tasks).toHaveLength(1);
    return tasks[0]?.task_id ?? '';
  }

  async function managerOf(
    store: Awaited<ReturnType<typeof openWorld>>['store'],
    add: (title: string, assigneeId?: string) => Promise<string>,
  ): Promise<Team> {
    await add('For the manager', 'm');
    return (await enter(store, 'm')).team;
  }
});
