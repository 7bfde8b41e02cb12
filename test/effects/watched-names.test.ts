import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { some } from '../support/some.ts';
import { plantRepository } from './layer-world.ts';

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

/** `only` is packed, has a commit of its own and no log; a log of main leads to another one; two stashes lie there. */
const plant = [
  'git checkout -q -b only && echo o > o && git add o && git commit -qm only && git checkout -q main',
  'echo r > r && git add r && git commit -qm undone && git reset -q --hard HEAD~1',
  'for n in 1 2; do echo $n > a.txt && git stash -q; done',
  'git pack-refs --all && rm .git/logs/refs/heads/only && sed -i "/only/d" .git/logs/HEAD',
].join(' && ');

describe('A git on the folders themselves', needs(lackOfLayers), () => {
  let world: World;
  /** The questions about what it was about to do. */
  async function held(command: string): Promise<readonly string[]> {
    const asked: string[] = [];
    const reply = await world.call(
      'bash',
      { command },
      {
        elicit: async ({ message }) => {
          asked.push(message);
          return { action: 'accept' as const };
        },
        patienceMs: 3_600_000,
      },
    );
    expect(outputOf(reply)).toMatchObject({ exit_code: 0 });
    return asked.filter((message) => message.includes('It is held now.'));
  }

  beforeEach(async () => {
    world = await openTestCheckpoint({ flags: { profile: 'coding' }, config: { process: { layer: 'off' } } });
    plantRepository(world.root);
    execFileSync('bash', ['-c', `cd "$1" && ${plant}`, '-', world.root], { stdio: 'pipe' });
    expect(existsSync(join(world.root, '.git/refs/heads/only'))).toBe(false);
  });
  afterEach(() => world.close());

  test.each(
    some(2, [
      'git branch -D only',
      "sed '/only/d' .git/packed-refs > p && mv p .git/packed-refs",
      'git reflog expire --expire=now --all',
      'git stash drop -q',
      'git rev-parse HEAD > p && git pack-refs --all && git branch -q one only && mv p .git/refs/heads/one && git branch -D only',
    ]),
  )('is held before a commit that only git has is lost: %s', async (command) => {
    expect(await held(command)).toHaveLength(1);
  });

  test.each(
    some(2, [
      'git rm -rfq .',
      'git rm -rfq . && git commit -qm gone',
      'git checkout -q --orphan x; git rm -rfq .',
    ]),
  )('is held where most of the files are gone, as on a layer: %s', async (command) => {
    const many = 'mkdir m && for n in $(seq 20); do echo $n > m/$n; done; git add m && git commit -qm many';
    execFileSync('bash', ['-c', `cd "$1" && ${many}`, '-', world.root], { stdio: 'pipe' });
    expect(await held(command)).toHaveLength(1);
  });

  test('is not held where it moves on to a commit with fewer files', async () => {
    const many =
      'mkdir m && for n in $(seq 20); do echo $n > m/$n; done; git add m && git commit -qm many && git branch many';
    execFileSync('bash', ['-c', `cd "$1" && ${many}`, '-', world.root], { stdio: 'pipe' });
    expect(await held('git checkout -q side; git checkout -q many; git reset -q --hard HEAD~1')).toEqual([]);
  });

  test.each(
    some(2, [
      'echo c >> a.txt; git commit -qam c; git commit -q --amend -m d; git tag v1; git tag -f v1 HEAD',
      'git pack-refs --all; git gc -q; git branch more; git pack-refs --all; git branch -d more',
      'git checkout -q only; git checkout -q --detach; git commit -q --allow-empty -m e; git checkout -q main; git rebase -q only',
      'git reset -q --hard HEAD~1; git merge -q side; git worktree add -q w; git worktree remove w; git branch -D w',
      'git stash apply -q; git checkout -q .; git checkout -q -b mine; git commit -q --allow-empty -m m; git checkout -q main; git branch -m mine renamed; git pack-refs --all; git branch -m renamed mine',
    ]),
  )('is not held where nothing is lost: %s', async (command) => {
    expect(await held(command)).toEqual([]);
  });
});
