import { expect, test } from 'vitest';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';
import { randomCalls } from './random-session.ts';
import { plantTree, treeOf } from './tree.ts';

const calls = process.env.SEKISHO_HAMMER ? 500 : 300;
const who = (sessionId: string) => ({ principal: 'person', sessionId, tool: 'undo', auditId: 'a' });

test('a session of mixed calls is taken back byte for byte and mode for mode, and brought back', async () => {
  await using world = await openTestCheckpoint({
    config: {
      toolsets: ['agent-cli', 'assistant', 'vault', 'pipeline'],
      assistant: { layout: 'workspace' },
      mode: 'full-access',
    },
  });
  plantTree(world.root);
  const original = treeOf(world.root);
  const outcomes: Record<string, number> = {};
  for (const [tool, input] of randomCalls(Number(process.env.SEKISHO_SEED ?? 7), calls)) {
    const reply = await world.call(tool, input);
    const outcome = `${tool} ${reply.kind === 'error' ? reply.code : reply.kind}`;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  if (process.env.SEKISHO_HAMMER) console.log(outcomes);
  // Every toolset did change something: a session of refusals would prove nothing.
  for (const tool of [
    'file_write',
    'write_file',
    'edit_file',
    'vault_create',
    'vault_append',
    'shelpa_write',
    'shelpa_pipe',
    'shell_exec',
    'bash',
  ]) {
    expect(outcomes[`${tool} output`], tool).toBeGreaterThan(0);
  }
  const result = treeOf(world.root);
  expect(result).not.toEqual(original);

  const { rooms } = world.checkpoint;
  const history = await rooms.history();
  const folders = [(await rooms.workspace()).folder];
  const sessions = await (await world.checkpoint.store()).history.list({ limit: 1 });
  const sessionId = sessions[0]?.sessionId ?? '';
  const back = await history.undo({ sessionId }, { folders, who: who('undo-1'), force: false });
  expect(back.filter(({ outcome }) => outcome === 'conflict' || outcome === 'lost')).toEqual([]);
  expect(treeOf(world.root)).toEqual(original);

  const again = await history.undo({ sessionId: 'undo-1' }, { folders, who: who('undo-2'), force: false });
  expect(again.filter(({ outcome }) => outcome === 'conflict' || outcome === 'lost')).toEqual([]);
  expect(treeOf(world.root)).toEqual(result);
}, 300_000);
