import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Arrival, Reply } from '../../src/contract/call.ts';
import { claudeEvent } from '../hooks/events.ts';
import { openHooks } from '../hooks/open-hooks.ts';
import { needs, sandbox } from '../support/needs.ts';
import { errorOf, openTestCheckpoint, outputOf, type World } from '../support/open-test-checkpoint.ts';

const bob: Arrival = { transport: 'stdio', connectionId: 'another-connection' };

async function open({ config, ...more }: World = {}) {
  const world = await openTestCheckpoint({
    files: { 'a.txt': 'one\ntwo\nthree\n' },
    ...more,
    config: {
      toolsets: ['assistant', 'agent-cli'],
      mode: 'full-access',
      assistant: { layout: 'workspace' },
      ...config,
    },
  });
  const path = join(world.root, 'a.txt');
  return {
    ...world,
    path,
    read: (arrival?: Arrival) => world.call('read_file', { path: 'a.txt' }, arrival && { arrival }),
    write: (content: string, arrival?: Arrival) =>
      world.call('write_file', { path: 'a.txt', content }, arrival && { arrival }),
    edit: (from: string, to: string, arrival?: Arrival) =>
      world.call('edit_file', { path: 'a.txt', old_string: from, new_string: to }, arrival && { arrival }),
    /** A person's own editor. */
    saves: (words: string) => writeFileSync(path, words),
    text: () => readFileSync(path, 'utf8'),
  };
}

/** What the reply tells below that of the tool. */
function toldIn(reply: Reply): string | undefined {
  outputOf(reply);
  const blocks = reply.kind === 'output' ? reply.content : [];
  return blocks.flatMap((block) =>
    block.type === 'text' && /^\[Sekisho: /.test(block.text) ? [block.text] : [],
  )[0];
}

describe('A write over a change of others', () => {
  test('is told, with what they changed, by a person', async () => {
    await using world = await open();
    await world.read();
    world.saves('one\n2\nthree\n');
    const told = toldIn(await world.write('ONE\ntwo\nthree\n'));
    expect(told).toContain('a.txt was changed by somebody else');
    expect(told).toContain('-two\n+2\n');
    expect(world.text()).toBe('ONE\ntwo\nthree\n');
    // Once: now the session knows it.
    expect(toldIn(await world.write('again'))).toBeUndefined();
  });

  test.each(['write_file', 'edit_file', 'file_write'])('is told, by another client with %s', async (tool) => {
    await using world = await open();
    await world.read();
    const input = {
      write_file: { path: 'a.txt', content: 'theirs\n' },
      file_write: { path: 'a.txt', content: 'theirs\n', overwrite: true },
      edit_file: { path: 'a.txt', old_string: 'two', new_string: 'theirs' },
    }[tool];
    outputOf(await world.call(tool, input, { arrival: bob }));
    const again = await world.call('file_write', { path: 'a.txt', content: 'mine\n', overwrite: true });
    expect(toldIn(again)).toContain('+theirs');
    // Neither knows what the other wrote.
    expect(toldIn(await world.write('x', bob))).toContain('+mine');
  });

  test('is told after a write of the session, too, and of a note', async () => {
    await using world = await open({ config: { toolsets: ['assistant', 'vault'], vault: { root: '.' } } });
    await world.write('mine\n');
    world.saves('mine\nand theirs\n');
    expect(toldIn(await world.write('mine again\n'))).toContain('+and theirs');
    writeFileSync(join(world.root, 'n.md'), 'a b\n');
    outputOf(await world.call('vault_read', { path: 'n.md', full: true }));
    writeFileSync(join(world.root, 'n.md'), 'a b c\n');
    const reply = await world.call('vault_replace', { path: 'n.md', find: 'a', replace: 'A' });
    expect(toldIn(reply)).toContain('+a b c');
  });

  test('is refused where the operator wants it, until the file was read again', async () => {
    await using world = await open({ config: { files: { stale: 'refuse' } } });
    await world.read();
    world.saves('theirs\n');
    expect(errorOf(await world.write('mine\n'))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('+theirs'),
      suggestion: 'Read it again, and write it with their change.',
    });
    expect(world.text()).toBe('theirs\n');
    await world.read();
    outputOf(await world.write('mine\n'));
    expect(world.text()).toBe('mine\n');
  });

  test('is not told with "off"', async () => {
    await using world = await open({ config: { files: { stale: 'off' } } });
    await world.read();
    world.saves('theirs\n');
    expect(toldIn(await world.write('mine\n'))).toBeUndefined();
  });

  test('shows a bounded difference, and none of bytes', async () => {
    await using world = await open();
    await world.read();
    world.saves('line\n'.repeat(2000));
    expect(toldIn(await world.write('mine\n'))?.length).toBeLessThan(5000);
    await world.read();
    world.saves('\0\x01');
    expect(toldIn(await world.write('mine\n'))).not.toContain('@@');
  });
});

describe('Nothing is told', () => {
  const quiet: readonly [string, (world: Awaited<ReturnType<typeof open>>) => unknown][] = [
    ['of a file that was not read', (world) => world.saves('x')],
    ['of a file that was read after the change', async (world) => [world.saves('x'), await world.read()]],
    ["of the session's own edit", async (world) => [await world.read(), await world.edit('two', '2')]],
    [
      "of the session's own write",
      async (world) => [await world.read(), await world.write('x'), await world.read()],
    ],
    [
      'of a file that was saved unchanged',
      async (world) => [await world.read(), world.saves('one\ntwo\nthree\n')],
    ],
    [
      'of a file that was only searched',
      async (world) => [await world.call('grep', { pattern: 'two' }), world.saves('x')],
    ],
    ['of a time', async (world) => [await world.read(), utimesSync(world.path, 1, 1)]],
    [
      'of a change that was merged by an edit',
      async (world) => [await world.read(), world.saves('one\ntwo\n3\n'), await world.edit('two', '2')],
    ],
  ];
  test.each(quiet)('%s', async (_name, before) => {
    await using world = await open();
    await before(world);
    expect(toldIn(await world.write('mine\n'))).toBeUndefined();
  });

  test('of a change that a call saw and another made', async () => {
    await using world = await open();
    await world.read();
    await world.edit('two', '2', bob);
    await world.read();
    expect(toldIn(await world.write('mine\n'))).toBeUndefined();
  });
});

describe('Of commands of the session', needs(sandbox('bubblewrap')), () => {
  test.each([
    ['echo new > a.txt', {}],
    ['sed -i s/two/2/ a.txt', { process: { layer: 'off' as const } }],
    ['echo new > a.txt', { history: { commands: 'off' as const } }],
    ['mv a.txt b; cp b a.txt; echo >> a.txt', { process: { sandbox: 'off' as const } }],
    ['(while sleep 0.1; do date +%N >> a.txt; done) & sleep 1', {}],
  ])('nothing is told: %s %j', async (command, config) => {
    await using world = await open({ config });
    await world.read();
    await world.call('bash', { command });
    expect(toldIn(await world.write('mine\n'))).toBeUndefined();
  });

  test('in the background nothing is told, either', async () => {
    await using world = await open();
    await world.read();
    const command = 'while sleep 0.1; do date +%N >> a.txt; done';
    outputOf(await world.call('bash', { command, background: true }));
    await expect.poll(world.text, { timeout: 20_000 }).toMatch(/three\n\d/);
    expect(toldIn(await world.write('mine\n'))).toBeUndefined();
  });
});

describe("A client's own tool", () => {
  const event = (hooks: { root: string }, kind: 'PreToolUse' | 'PostToolUse', content: string, use: string) =>
    claudeEvent(
      kind,
      hooks.root,
      'Write',
      { file_path: join(hooks.root, 'a.txt'), content },
      { tool_use_id: use },
    );

  async function write(hooks: Awaited<ReturnType<typeof openHooks>>, content: string, use: string) {
    const before = event(hooks, 'PreToolUse', content, use);
    const answer = await hooks.tell(before);
    if (answer.kind === 'allow') {
      writeFileSync(join(hooks.root, 'a.txt'), content);
      await hooks.tell(event(hooks, 'PostToolUse', content, use));
    }
    return hooks.say(answer, before).stdout;
  }

  test.each(['tell', 'refuse'] as const)('is told before it writes: %s', async (stale) => {
    const config = { mode: 'full-access' as const, files: { stale } };
    await using hooks = await openHooks('claude', { files: { 'a.txt': 'old\n' }, config });
    expect(await write(hooks, 'mine\n', 'u1')).not.toContain('somebody else');
    expect(await write(hooks, 'mine again\n', 'u2')).not.toContain('somebody else');
    writeFileSync(join(hooks.root, 'a.txt'), 'theirs\n');
    const said = JSON.parse(await write(hooks, 'mine at last\n', 'u3')).hookSpecificOutput;
    expect(said).toMatchObject(
      stale === 'tell'
        ? {
            permissionDecision: 'allow',
            additionalContext: expect.stringContaining('changed by somebody else'),
          }
        : {
            permissionDecision: 'deny',
            permissionDecisionReason: expect.stringContaining('changed by somebody else'),
          },
    );
  });
});
