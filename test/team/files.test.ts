import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTeamFile } from '../../src/cli/team/file.ts';
import { planTeam } from '../../src/cli/team/plan.ts';
import { openTeamCheckpoint } from './world.ts';

const passkey = 'a-passkey-of-a-test';

/** What `team apply` does with a file; `p`, `q` with `m` above `a` and `b` are there already. */
async function apply(file: object) {
  await using world = await openTeamCheckpoint();
  const path = join(world.folder, 'team.jsonc');
  writeFileSync(path, JSON.stringify(file));
  const before = [await world.admin.projects(), await world.admin.agents()];
  let refused: string | undefined;
  try {
    for (const { apply } of await planTeam(readTeamFile(path, JSON.stringify(file), {}), world.admin))
      await apply();
  } catch (error) {
    refused = (error as Error).message;
  }
  const after = [await world.admin.projects(), await world.admin.agents()];
  return { refused, isSame: JSON.stringify(before) === JSON.stringify(after) };
}

const agent = (id: string, more: object = {}) => ({ id, name: id, hierarchy: 'worker', passkey, ...more });

test.each([
  [{ agents: [agent('x', { projects: ['none'] })] }, 'agents.x.projects: there is no project "none".'],
  [{ agents: [agent('x'), agent('y', { parent: 'none' })] }, 'agents.y.parent: there is no agent "none".'],
  [
    { agents: [agent('x'), agent('y', { parent: 'x' })] },
    'agents.x.hierarchy: x is above y, so it must be "manager".',
  ],
  [{ agents: [agent('x'), agent('m')] }, 'agents.m.hierarchy: m is above a, so it must be "manager".'],
  [
    {
      projects: [
        { id: 'r', name: 'R' },
        { id: 'r', name: 'S' },
      ],
    },
    'projects: r is listed twice.',
  ],
  [{ agents: [agent('x', { passkey: 'short' })] }, 'agents.x.passkey must be 8 to 1000 characters long.'],
  [
    { agents: [agent('x')], coordinator_token: 'short' },
    'coordinator_token must be 16 to 1000 characters long.',
  ],
])('a team file that cannot be carried out changes nothing: %j', async (file, message) => {
  expect(await apply(file)).toEqual({ refused: message, isSame: true });
});

test('a team file that can be is', async () => {
  const file = {
    projects: [{ id: 'r', name: 'R' }],
    agents: [
      agent('y', { parent: 'x', projects: ['r', 'p'] }),
      agent('x', { hierarchy: 'manager', parent: 'm' }),
    ],
  };
  expect(await apply(file)).toEqual({ refused: undefined, isSame: false });
});

test('a manager makes room for another, in one file', async () => {
  const file = {
    agents: [
      agent('m'),
      agent('n', { hierarchy: 'manager', projects: ['p'] }),
      agent('a', { parent: 'n', projects: ['p'] }),
      agent('b', { parent: 'n', projects: ['p'] }),
    ],
  };
  expect(await apply(file)).toEqual({ refused: undefined, isSame: false });
});

test('a manager with subordinates is not made a worker', async () => {
  await using world = await openTeamCheckpoint();
  await expect(world.admin.changeAgent('m', { hierarchy: 'worker' })).rejects.toThrow(
    'Agent m has subordinates: a, b. Give them another parent first.',
  );
});
