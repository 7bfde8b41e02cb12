import { expect, test } from 'vitest';
import { createTeamPlace, secrets } from './server.ts';

test('agents, projects and tasks are set up from the command line', async () => {
  const place = await createTeamPlace();
  const list = async (...args: string[]) => JSON.parse(await place.command(...args, '--json')) as object[];
  expect(await list('agent', 'list')).toMatchObject([
    { id: 'a', hierarchy: 'worker', parentId: 'm', projects: ['p'] },
    { id: 'b' },
    { id: 'm', hierarchy: 'manager' },
  ]);
  const added = await place.command('agent', 'add', 'c', '--parent', 'm', '--project', 'p', '--json');
  expect(JSON.parse(added)).toEqual({
    id: 'c',
    hierarchy: 'worker',
    passkey: expect.stringMatching(/^pk_[\w-]{32}$/),
  });
  await expect(place.command('agent', 'add', 'd', '--parent', 'c')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not a manager'),
  });
  await place.command('project', 'add', 'q', '--name', 'Other');
  await place.command('project', 'pause', 'q');
  expect(await list('project', 'list')).toMatchObject([
    { id: 'p', status: 'active' },
    { id: 'q', name: 'Other', status: 'paused' },
  ]);
  const id = await place.command(
    'task',
    'add',
    '--project',
    'p',
    '--title',
    'Work',
    '--assign',
    'c',
    '--start',
  );
  expect(await list('task', 'list', '--status', 'in_progress')).toMatchObject([
    { task_id: id, assignee_id: 'c' },
  ]);
  await place.command('task', 'assign', id, 'a');
  expect(await list('task', 'list')).toMatchObject([{ task_id: id, assignee_id: 'a', status: 'todo' }]);
  await place.command('task', 'cancel', id, '--reason', 'Not wanted.');
  const shown = await place.command('task', 'show', id);
  expect(shown).toContain('status: cancelled');
  expect(shown).toMatch(/person\tstatus\ttodo → cancelled\tNot wanted\./);
  await expect(place.command('task', 'cancel', id)).rejects.toMatchObject({ code: 1 });
  await place.command('agent', 'remove', 'c');

  const server = await place.serve();
  const health = (token: string) => server.call('health_check', { coordinator_token: token });
  expect(await health(secrets.COORDINATOR)).toMatchObject({ agents: 3, projects: 2 });
  const [fresh = ''] = (await place.command('coordinator', 'token')).split('\n');
  expect(await health(fresh)).toMatchObject({ status: 'ok' });
  expect(await health(secrets.COORDINATOR)).toMatchObject({ error: { code: 'unauthenticated' } });
});
