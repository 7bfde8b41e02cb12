import { afterAll, describe, expect, test } from 'vitest';
import { startEngines } from '../store/engines.ts';
import { needs } from '../support/needs.ts';
import { outputOf } from '../support/open-test-checkpoint.ts';
import { enter, openTeam, patient, settle } from './people.ts';
import { openTeamCheckpoint } from './world.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));

describe.each(engines)('on $name', ({ name, missing, createPlace }) => {
  test(
    'whoever waits wakes by what happens, here and at another server, long before the time is over',
    needs(missing),
    async () => {
      const place = await createPlace();
      const here = openTeam(await place.open());
      // A second server on the same records.
      const there = openTeam(await place.open());
      await settle(here);
      const whole = await here.admin.addTask({
        projectId: 'p',
        title: 'Whole',
        assigneeId: 'm',
        start: true,
      });
      const m = await enter(here, 'm');
      await m.team.myTask();
      const { tasks } = await m.team.createTasks({
        parent_task_id: whole,
        tasks: [1, 2, 3].map((n) => ({ local_id: `${n}`, title: `Part ${n}`, assignee_id: 'a' })),
      });
      const a = await enter(here, 'a');
      for (const [index, { task_id }] of tasks.entries()) {
        const mine = there.lend(a.caller, { transport: 'http' });
        await mine.claimTask({ task_id });
        const order: string[] = [];
        const waiting = m.team.nextAction({ timeout_seconds: 50 }, patient).then((next) => {
          order.push('woken');
          return next;
        });
        // It does wait: nothing has happened yet.
        await new Promise((resolve) => setTimeout(resolve, 100));
        expect(order).toEqual([]);
        order.push('reported');
        const told = performance.now();
        await mine.reportCompleted({ result: 'success' });
        const next = await waiting;
        expect(order).toEqual(['reported', 'woken']);
        expect(next.action).toBe(index === 2 ? 'complete' : 'wait');
        expect(next.state).toMatchObject({ done: index + 1 });
        if (process.env.SEKISHO_HAMMER) {
          process.stderr.write(
            `${name}: woken after ${Math.round(performance.now() - told)} ms at another server\n`,
          );
        }
      }
    },
  );

  test('what was missed between two calls ends the wait at once', needs(missing), async () => {
    const place = await createPlace();
    const store = openTeam(await place.open());
    await settle(store);
    const whole = await store.admin.addTask({ projectId: 'p', title: 'Whole', assigneeId: 'm', start: true });
    const m = await enter(store, 'm');
    await m.team.myTask();
    await m.team.createTasks({
      parent_task_id: whole,
      tasks: [
        { local_id: '1', title: 'One', assignee_id: 'a' },
        { local_id: '2', title: 'Two', assignee_id: 'b' },
      ],
    });
    const seen = await m.team.nextAction({ timeout_seconds: 0 }, patient);
    const a = await enter(store, 'a');
    await a.team.claimTask({});
    const next = await m.team.nextAction(
      { timeout_seconds: 50, after_event: Number(seen.state.last_event) },
      patient,
    );
    expect(next.state).toMatchObject({ in_progress: 1 });
  });

  test('five hundred that wait cost nothing until something happens, and then all wake', {
    ...needs(missing),
    timeout: 600_000,
  }, async () => {
    const place = await createPlace();
    const store = openTeam(await place.open());
    await settle(store);
    const whole = await store.admin.addTask({
      projectId: 'p',
      title: 'Whole',
      assigneeId: 'm',
      start: true,
    });
    const m = await enter(store, 'm');
    await m.team.myTask();
    await m.team.createTasks({
      parent_task_id: whole,
      tasks: [{ local_id: '1', title: 'Part', assignee_id: 'a' }],
    });
    const a = await enter(store, 'a');
    await a.team.claimTask({});
    const order: string[] = [];
    const waiting = Array.from({ length: 500 }, () =>
      m.team.nextAction({ timeout_seconds: 600 }, patient).then((next) => {
        order.push('woken');
        return next;
      }),
    );
    // Each reads its rows once before it lies down; how long that takes is the machine's affair.
    let costMs = Number.POSITIVE_INFINITY;
    for (let second = 0; second < 300 && costMs > 150; second++) {
      const before = process.cpuUsage();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const { user, system } = process.cpuUsage(before);
      costMs = (user + system) / 1000;
      if (process.env.SEKISHO_HAMMER) process.stderr.write(`${name}: ${Math.round(costMs)} ms of CPU\n`);
    }
    expect(order).toEqual([]);
    // Five hundred that look ten times a second would keep a processor busy.
    expect(costMs).toBeLessThanOrEqual(150);

    const told = performance.now();
    await a.team.reportCompleted({ result: 'success' });
    const answers = await Promise.all(waiting);
    expect(new Set(answers.map((answer) => answer.action))).toEqual(new Set(['complete']));
    if (process.env.SEKISHO_HAMMER) {
      process.stderr.write(
        `${name}: the last of 500 woke after ${Math.round(performance.now() - told)} ms\n`,
      );
    }
  });

  test(
    'a step and the counts beside it are of one moment, while another server changes tasks',
    needs(missing),
    async () => {
      const place = await createPlace();
      const [here, there] = [openTeam(await place.open()), openTeam(await place.open())];
      await settle(here);
      const whole = await here.admin.addTask({
        projectId: 'p',
        title: 'Whole',
        assigneeId: 'm',
        start: true,
      });
      const m = await enter(here, 'm');
      await m.team.myTask();
      const made = await m.team.createTasks({
        parent_task_id: whole,
        tasks: Array.from({ length: 20 }, (_, n) => ({
          local_id: `${n}`,
          title: `Part ${n}`,
          assignee_id: 'a',
        })),
      });
      const a = await enter(there, 'a');
      let isOver = false;
      const work = (async () => {
        for (const { task_id } of made.tasks.slice(0, -1)) {
          await a.team.claimTask({ task_id });
          await a.team.reportCompleted({ result: 'success' });
        }
        isOver = true;
      })();
      const torn: unknown[] = [];
      while (!isOver) {
        await new Promise((resolve) => setImmediate(resolve));
        const { needs, state } = await m.team.nextAction({ timeout_seconds: 0 }, patient);
        if ((needs?.running?.length ?? 0) !== (state.in_progress ?? 0)) torn.push({ needs, state });
      }
      await work;
      expect(torn).toEqual([]);
    },
  );

  test('a wait that is withdrawn ends', needs(missing), async () => {
    const place = await createPlace();
    const store = openTeam(await place.open());
    await settle(store);
    await store.admin.addTask({ projectId: 'p', title: 'Work', assigneeId: 'a' });
    const { team } = await enter(store, 'a');
    await team.claimTask({});
    await team.reportCompleted({ result: 'success' });
    const stop = new AbortController();
    const waiting = team.nextAction({ timeout_seconds: 50 }, stop.signal);
    setTimeout(() => stop.abort(), 50);
    expect(await waiting).toMatchObject({ action: 'finish' });
  });
});

test('instructions are in the language of the server', async () => {
  await using world = await openTeamCheckpoint({ config: { locale: 'ja' } });
  await world.admin.addTask({ projectId: 'p', title: '仕事', assigneeId: 'a' });
  const person = await world.authenticate('a');
  expect(outputOf(await world.callAs(person, 'get_next_action'))).toMatchObject({
    action: 'get_task',
    instruction: 'タスクを読んでください。',
  });
});
