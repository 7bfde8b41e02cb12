import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { errorOf, openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { some } from '../support/some.ts';
import { onLayer, runIn, takeBack, tree } from './layer-world.ts';

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

/**
 * A repository with what only its names keep: branches that are not merged, loose and packed, a tag, two stashes, a commit
 * that was amended, files that are staged and in no commit, and thirty that git does not know.
 */
const planted = `
set -e
git init -q -b main .
git config user.name Mai
git config user.email mai@example.com
git config gc.auto 0
mkdir -p src docs
for i in $(seq 40); do echo "source $i of what somebody wrote" > src/$i.txt; echo "page $i of the manual" > docs/$i.txt; done
git add -A; git commit -qm one
echo two >> src/1.txt; git commit -qam two
git checkout -q -b packed; echo packed > src/packed.txt; git add -A; git commit -qm packed; git checkout -q main
git pack-refs --all
git checkout -q -b topic; echo topic > src/topic.txt; git add -A; git commit -qm topic; git checkout -q main
git tag keep $(git commit-tree -m only -p HEAD HEAD^{tree})
git branch merged HEAD~1; git branch side HEAD~1
echo three >> src/2.txt; git commit -qam tree; git commit -q --amend -m three
echo first > new-1.txt; echo edit >> src/3.txt; git stash -q -u
echo second >> src/4.txt; git stash -q
git worktree add -q --detach wt side; (cd wt; echo apart > apart.txt; git add -A; git commit -qm apart)
mkdir data
for i in $(seq 30); do echo "row $i $((i * 7919))" > data/$i.csv; done
`;

/** What each of them loses cannot be had again from git. */
const losing: readonly (readonly [string, string])[] = [
  ['git branch -D topic', 'effect-git-history'],
  ['git branch -D packed', 'effect-git-history'],
  ['git update-ref -d refs/heads/topic', 'effect-git-history'],
  ['rm .git/refs/heads/topic', 'effect-git-history'],
  ['git tag -d keep', 'effect-git-history'],
  ['git tag -f keep main', 'effect-git-history'],
  ['git update-ref -d HEAD', 'effect-git-history'],
  [
    'git checkout -q --orphan empty && git rm -rfq . && git commit -qm x --allow-empty && git branch -D main',
    'effect',
  ],
  ['git stash drop', 'effect-git-history'],
  ['git stash drop stash@{1}', 'effect-git-history'],
  ['git stash clear', 'effect-git-history'],
  ['rm .git/refs/stash .git/logs/refs/stash', 'effect-git-history'],
  ['git reflog expire --expire=now --all', 'effect-git-history'],
  ['git reflog expire --expire=now --all; git gc -q --prune=now', 'effect'],
  ['git replace --graft HEAD; git reflog expire --expire=now --all; git gc -q --prune=now', 'effect'],
  ['rm -r .git/logs', 'effect-git-history'],
  [': > .git/logs/HEAD; rm .git/logs/refs/heads/main', 'effect-git-history'],
  ['git worktree remove --force wt', 'effect-git-history'],
  ['git rev-parse HEAD^{tree} | sed "s,..,&/,;s,^,.git/objects/," | xargs rm -f', 'effect-breaks-repository'],
  ['git stash -q -u && git stash clear', 'effect'],
  ['git checkout -q -b z; rm -r *', 'effect-loses-m'],
  ['git add -A; git rm -q --cached -r data; rm -r data', 'effect-loses-many'],
  // Refs that are changed without git, so that no log leads to what they named.
  [
    'git pack-refs --all; git rev-parse side > p; mv p .git/refs/heads/topic; git branch -D topic',
    'effect-git-history',
  ],
  [
    'git pack-refs --all; git branch -q one topic; git rev-parse main > p; mv p .git/refs/heads/one; git branch -D topic',
    'effect-git-history',
  ],
  ['cp .git/refs/heads/side .git/refs/heads/topic; git branch -D topic', 'effect-git-history'],
  ["sed '/packed$/d' .git/packed-refs > p; mv p .git/packed-refs", 'effect-git-history'],
  ['git symbolic-ref refs/heads/topic refs/heads/main', 'effect-git-history'],
  ['mv .git/refs/heads/topic .git/refs/heads/topic.lock', 'effect-git-history'],
];

/** Of small files that git does not know. */
const overwriting: readonly (readonly [string, string])[] = [
  ['for f in data/*; do echo x > "$f"; done', 'effect-loses-many'],
  ['find data -type f | while read -r f; do echo x > "$f"; done', 'effect-loses-many'],
  [
    `python3 -c 'import glob, os
for f in glob.glob("data/*"): os.truncate(f, os.path.getsize(f) // 2)'`,
    'effect-loses-many',
  ],
  [
    `python3 -c 'import glob
for f in glob.glob("data/*"):
    text = open(f).read(); open(f, "w").write(text[len(text) // 2:])'`,
    'effect-loses-many',
  ],
  [
    `python3 -c 'import glob
for f in glob.glob("src/*"):
    text = "".join(f"line {n}: {f}\\n" for n in range(90)); open(f, "w").write(text)
' && git commit -qam long && sed -i s/line/row/ src/* && sed -i 30,60d src/*`,
    'default',
  ],
  ['touch "$(printf "data/\\223\\372")"; rm "$(printf "data/\\223\\372")"', 'default'],
];

/** Working days: each is run in a copy of its own, and nothing of it is asked about. */
const everyday: readonly string[] = [
  'echo a >> src/5.txt; git commit -qam a; git commit -q --amend -m b; git commit -q --amend --no-edit',
  'git checkout -q side; git checkout -q main; git checkout -q -b work; echo w > src/w.txt; git add -A src; git commit -qm w',
  'git checkout -q topic; git rebase -q main; git checkout -q main; git merge -q --no-ff -m merged topic; git branch -d topic',
  'git stash pop -q',
  'git stash pop -q; git commit -qam popped; git stash pop -q; git add -A src new-1.txt; git commit -qm popped',
  'git stash apply -q stash@{1}; git commit -qam applied; git stash drop -q stash@{1}',
  'echo more >> src/9.txt; git stash -q; git checkout -q side; git checkout -q main; git stash pop -q',
  'sed -i "1i above" src/4.txt; git commit -qam above; git stash pop -q',
  'git stash branch -q rescued 2> /dev/null || git stash branch rescued',
  'git branch -d merged; git branch -m side aside; git branch -M main trunk',
  'git gc -q; git repack -adq; git pack-refs --all',
  'echo x > x; git add x; git rm -q --cached x; rm x; git gc -q --prune=now',
  'git clone -q . ../cloned-$$; cd ../cloned-$$; git fetch -q; git checkout -q -b mine; cd ..; rm -rf cloned-$$',
  'git reset -q --hard HEAD~1; git reset -q --hard ORIG_HEAD',
  'git cherry-pick topic > /dev/null || git cherry-pick --abort; git revert --no-edit HEAD > /dev/null',
  'git checkout -q topic; echo f >> src/topic.txt; git commit -qam "fixup! topic"; GIT_SEQUENCE_EDITOR=: git rebase -q -i --autosquash main; git checkout -q main',
  'git worktree add -q wt2 -b beside; cd wt2; echo b > b.txt; git add b.txt; git commit -qm b; git commit -q --amend -m c; cd ..; git worktree remove wt2',
  'git tag v1; git tag -a v2 -m two; git tag -d v1 v2',
  'git bisect start -q HEAD HEAD~2 > /dev/null; git bisect good > /dev/null; git bisect reset 2> /dev/null',
  'git checkout -q -b tmp; git commit -q --allow-empty -m t; git checkout -q main; git branch -q -D tmp',
  'git rm -rq docs; git commit -qm "drop docs"; git checkout -q HEAD~1; git checkout -q main',
  'git checkout -q --orphan pages; git rm -rqf --cached .; git checkout -q -f main',
];

describe('what only git has', needs(lackOfLayers), () => {
  let world: World;
  let copies = 0;

  const copy = () => {
    copies += 1;
    execFileSync('cp', ['-a', 'planted', `r${copies}`], { cwd: world.root });
    // A linked working tree says where its repository is.
    execFileSync('git', ['-C', `r${copies}`, 'worktree', 'repair', 'wt'], { cwd: world.root, stdio: 'pipe' });
    return join(world.root, `r${copies}`);
  };

  beforeAll(async () => {
    world = await openTestCheckpoint({ ...onLayer, config: { approval: { waitMs: 1 } } });
    execFileSync('bash', ['-c', `mkdir planted; cd planted; ${planted}`], { cwd: world.root, stdio: 'pipe' });
  });
  afterAll(() => world.close());

  async function ruleFor(command: string): Promise<string> {
    const folder = copy();
    const reply = await world.call('bash', { command: `cd ${folder}; ${command}` });
    if (reply.kind === 'error')
      return String((errorOf(reply).details as { rule?: string } | undefined)?.rule);
    const { exit_code, stderr } = outputOf(reply);
    expect([exit_code, stderr]).toEqual([0, '']);
    return 'default';
  }

  test.each(some(3, [...losing, ...overwriting]))('%s: %s', async (command, rule) => {
    expect(await ruleFor(command)).toContain(rule);
  });

  test.each(some(3, everyday))('%s: nothing is asked', async (command) => {
    const folder = copy();
    const reply = await world.call('bash', { command: `cd ${folder}; ${command}` });
    expect(reply.kind === 'error' ? errorOf(reply) : outputOf(reply).exit_code).toBe(0);
  });

  test('what a person agrees to lose, undo brings back', async () => {
    const folder = copy();
    const before = tree(world.root);
    const { auditId } = await runIn(world, `cd ${folder}; git stash clear; git branch -q -D topic packed`);
    expect(tree(world.root)).not.toEqual(before);
    expect(await takeBack(world, auditId)).toEqual([]);
    expect(tree(world.root)).toEqual(before);
  });
});
