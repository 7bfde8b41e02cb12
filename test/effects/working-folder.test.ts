import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { onLayer, plantRepository, runIn } from './layer-world.ts';

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

/** Folders of each kind that a command may begin in, and what makes one called `w`. */
const kinds = {
  'a folder': 'mkdir w && echo x > w/f',
  'a folder with settings': 'mkdir -p w/in && echo x > w/in/f',
  'a linked worktree': 'git worktree add -q w',
  'a repository of its own': 'git init -q w && echo x > w/f',
  'a deep folder': 'mkdir -p w/a/b/c && echo x > w/a/b/c/f',
};
const removals = { 'rm -rf w': 'rm -rf w', 'mv, then rm': 'mv w w2 && rm -rf w2' };

describe('the folder that a session stands in is removed whole', needs(lackOfLayers), () => {
  let world: World;
  const at = (path: string) => join(world.root, path);
  const enter = async (kind: string, make: string) => {
    await runIn(world, `cd ${world.root}; rm -rf w w2; git worktree prune; git branch -D w; true`);
    expect(await runIn(world, make)).toMatchObject({ exit_code: 0, stderr: '' });
    if (kind === 'a folder with settings') {
      mkdirSync(at('w/.vscode'));
      writeFileSync(at('w/.vscode/settings.json'), '{}');
    }
    const inner = kind === 'a deep folder' ? 'w/a/b/c' : 'w';
    expect(await runIn(world, `cd ${inner}; echo n > new`)).toMatchObject({ exit_code: 0, stderr: '' });
  };
  const isGone = async () => {
    expect([existsSync(at('w')), existsSync(at('w2'))]).toEqual([false, false]);
    // The next command begins where the folder was named from: at the root.
    expect(await runIn(world, 'pwd')).toMatchObject({
      stdout: `${world.root}\n`,
      exit_code: 0,
    });
  };

  beforeAll(async () => {
    world = await openTestCheckpoint(onLayer);
    plantRepository(world.root);
  });
  afterAll(() => world.close());

  describe.each(Object.entries(removals))('by %s', (_, removal) => {
    test.each(Object.entries(kinds))('%s', async (kind, make) => {
      await enter(kind, make);
      const up = kind === 'a deep folder' ? '../../../..' : '..';
      expect(await runIn(world, `cd ${up} && ${removal}`)).toMatchObject({ exit_code: 0, stderr: '' });
      await isGone();
    });

    test.each(Object.entries(kinds))('%s, by its absolute path and from within', async (kind, make) => {
      await enter(kind, make);
      const absolute = removal.replaceAll(/\bw2?\b/g, (name) => at(name));
      expect(await runIn(world, absolute)).toMatchObject({ exit_code: 0, stderr: '' });
      await isGone();
    });
  });

  test.each(['cd .. && git worktree remove --force w', 'git worktree remove --force ../w'])(
    'a linked worktree by %s',
    async (command) => {
      await enter('a linked worktree', kinds['a linked worktree']);
      expect(await runIn(world, command)).toMatchObject({ exit_code: 0, stderr: '' });
      await isGone();
      expect(execFileSync('git', ['-C', world.root, 'worktree', 'list'], { encoding: 'utf8' })).not.toContain(
        '/w ',
      );
    },
  );

  test.each(Object.entries(kinds))('%s, while a command of the session runs in it', async (kind, make) => {
    await enter(kind, make);
    const { process_id: id } = outputOf(
      await world.call('bash', { command: 'until [ -e ../../end ]; do sleep 0.1; done', background: true }),
    );
    const up = kind === 'a deep folder' ? '../../../..' : '..';
    expect(await runIn(world, `cd ${up} && rm -rf w`)).toMatchObject({ exit_code: 0, stderr: '' });
    await world.call('bash_kill', { process_id: id });
    await isGone();
  });

  test.each(Object.entries(kinds))('%s, that another session stands in', async (kind, make) => {
    await enter(kind, make);
    const other = (command: string) =>
      world.call(
        'bash',
        { command },
        {
          arrival: { transport: 'stdio', connectionId: 'other' },
          elicit: async () => ({ action: 'accept' as const }),
          patienceMs: 3_600_000,
        },
      );
    expect(outputOf(await other('rm -rf w'))).toMatchObject({ exit_code: 0, stderr: '' });
    await isGone();
  });
});
