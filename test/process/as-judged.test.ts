import { expect, test } from 'vitest';
import { needs, sandbox } from '../support/needs.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';

const open = () =>
  openTestCheckpoint({
    files: { 'x y': 'held\n' },
    config: { toolsets: ['agent-cli', 'assistant'], assistant: { layout: 'workspace' } },
  });

async function ranOf(world: Awaited<ReturnType<typeof open>>) {
  const { audit } = await world.checkpoint.store();
  const [entry] = await audit.search({ limit: 1, newestFirst: true });
  return entry?.facts?.ran;
}

const asked = 'f=`echo "x y"`\n\ncat "$f"; nosuch';
const written = 'f=$(echo \'x y\')\n\ncat "$f"; nosuch';

test(
  'what was judged runs, on the lines where it was asked, and stands in the log where it differs',
  needs(sandbox('bubblewrap', 'landlock')),
  async () => {
    await using world = await open();
    const reply = outputOf(await world.call('shell_exec', { command: asked }));
    expect(reply).toMatchObject({ stdout: 'held\n', exitCode: 127 });
    expect(reply.stderr).toMatch(/line 3: nosuch/);
    expect(await ranOf(world)).toBe(written);

    expect(outputOf(await world.call('shell_exec', { command: 'echo "a" && pwd >/dev/null' })).stdout).toBe(
      'a\n',
    );
    expect(await ranOf(world)).toBeUndefined();
  },
);

test(
  "the assistant's bash and its background run what was judged",
  needs(sandbox('bubblewrap', 'landlock')),
  async () => {
    await using world = await open();
    const command = 'f="x y" # a name\ncat $"$f"';
    expect(outputOf(await world.call('bash', { command }))).toMatchObject({ stdout: 'held\n', exit_code: 0 });
    expect(await ranOf(world)).toBe('f=\'x y\'\ncat "$f"');

    const started = outputOf(await world.call('bash', { command, background: true }));
    expect(await ranOf(world)).toBe('f=\'x y\'\ncat "$f"');
    const read = outputOf(await world.call('bash_output', { process_id: started.process_id, wait: 10 }));
    expect(JSON.stringify(read)).toContain('held');
  },
);

test.each(['shell_exec', 'bash'])('%s refuses what shells read in two ways, with the place', async (tool) => {
  await using world = await open();
  const reply = await world.call(tool, { command: 'echo a; echo 1<(touch made)' });
  expect(reply).toMatchObject({
    kind: 'error',
    structured: {
      error: {
        code: 'denied',
        message: expect.stringContaining('`1<(touch made)`: shells read this in different ways'),
      },
    },
  });
});
