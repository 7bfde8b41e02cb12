import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { errorOf, openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { treeOf } from '../support/tree-of.ts';
import { hostilePrograms } from './hostile-programs.ts';

const isHammer = process.env.SEKISHO_HAMMER === '1';

const words = (seed: string) =>
  Array.from({ length: 12 }, (_, line) => `${seed}: line ${line} of what somebody wrote here\n`).join('');
const named = (folder: string, letter: string, count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const path = `${folder}/${letter}${index}.txt`;
      return [path, words(path)];
    }),
  );
const files = {
  'README.md': words('README'),
  ...named('src', 's', 12),
  ...named('src/core', 'c', 12),
  ...named('src/lib', 'l', 12),
  ...named('docs', 'g', 12),
  ...named('data', 'd', 12),
};
const coding = { files, flags: { profile: 'coding' }, config: { approval: { waitMs: 1 } } } as const;

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

describe('a command is judged by what it did', needs(lackOfLayers), () => {
  let world: World;
  beforeAll(async () => {
    world = await openTestCheckpoint(coding);
  });
  afterAll(() => world.close());

  test('programs that lose a workspace are held, whatever their text', async () => {
    const before = treeOf(world.root);
    const there = hostilePrograms.filter((each) => !each.includes('rsync') || existsSync('/usr/bin/rsync'));
    const programs = isHammer
      ? there
      : there.filter((each, index) => index % 16 === 0 || each.startsWith('mv docs'));
    const landed: string[] = [];
    for (const command of programs) {
      const reply = await world.call('bash', { command });
      const isHeld =
        reply.kind === 'error' && ['approval_pending', 'denied'].includes(errorOf(reply).code as string);
      if (!isHeld) landed.push(`${command}: ${JSON.stringify(reply).slice(0, 300)}`);
      if (isHammer)
        console.log(isHeld ? JSON.stringify(errorOf(reply).details) : 'LANDED', command.slice(0, 90));
    }
    expect(landed).toEqual([]);
    expect(treeOf(world.root)).toEqual(before);
  }, 600_000);

  test('what a session loses in small commands adds up, until somebody has looked', async () => {
    const lose = (letter: string, count: number) => ({
      command: `perl -e 'unlink glob("*/${letter}[0-${count - 1}].txt */*/${letter}[0-${count - 1}].txt")'`,
    });
    outputOf(await world.call('bash', lose('s', 9)));
    outputOf(await world.call('bash', lose('d', 9)));
    // A file of its own making is nobody's loss.
    outputOf(await world.call('bash', { command: 'seq 99 > a.txt; rm a.txt; seq 99 > b.txt' }));
    outputOf(await world.call('bash', { command: `perl -e 'unlink "b.txt"'` }));
    expect(errorOf(await world.call('bash', lose('c', 3)))).toMatchObject({
      code: 'approval_pending',
      details: { rule: 'effect-loses-many' },
    });
    outputOf(await world.call('bash', lose('c', 3), { elicit: async () => ({ action: 'accept' }) }));
    outputOf(await world.call('bash', lose('l', 9)));
  });

  test('a rule of the operator about effects holds for every command', async () => {
    const rules = [
      { effect: { writes: '.github/**' }, then: 'deny' as const, because: 'CI is ours' },
      { effect: { deletes: '> 2 files' }, then: 'ask' as const },
    ];
    await using world = await openTestCheckpoint({ ...coding, config: { ...coding.config, rules } });
    const before = treeOf(world.root);
    const python = (code: string) => world.call('bash', { command: `python3 -c '${code}'` });
    expect(
      errorOf(await python('import os; os.makedirs(".github/w"); open(".github/w/ci.yml", "w").write("on")')),
    ).toMatchObject({ code: 'denied', details: { rule: 'rules[0]' } });
    expect(errorOf(await python('import shutil; shutil.rmtree("data")')).code).toBe('approval_pending');
    expect(treeOf(world.root)).toEqual(before);
    outputOf(await python('open("x", "w").write("x")'));
    const { audit } = await world.checkpoint.store();
    const [plain, , denied] = await audit.search({ newestFirst: true, limit: 3 });
    expect(denied?.facts).toMatchObject({ tried: { rule: 'rules[0]', came: 'discarded' } });
    expect(plain?.facts).not.toHaveProperty('tried');
    const late = { command: 'sleep 3; mkdir -p .github/w; echo on > .github/w/ci.yml' };
    const { process_id: id } = outputOf(await world.call('bash', late, { patienceMs: 2000 }));
    const output = async () => String(outputOf(await world.call('bash_output', { process_id: id })).output);
    await expect.poll(output).toMatch(/none of its changes were kept: .+ \(rules\[0\]/);
    expect(existsSync(join(world.root, '.github'))).toBe(false);
    const kept = outputOf(await world.call('bash', { command: 'sleep 3; echo y > y' }, { patienceMs: 2000 }));
    const end = async () => outputOf(await world.call('bash_output', { process_id: kept.process_id }));
    await expect.poll(async () => (await end()).running).toBe(false);
    expect(JSON.stringify(await end())).not.toContain('none of its changes');
    expect(existsSync(join(world.root, 'y'))).toBe(true);
  });

  test('one that outlives its call waits to be asked about, and the same call sent again asks', async () => {
    const before = treeOf(world.root);
    const call = { command: `sleep 3; perl -e 'unlink glob("*/*.txt */*/*.txt")'` };
    const { process_id: id } = outputOf(await world.call('bash', call, { patienceMs: 2000 }));
    await vi.waitFor(
      async () => {
        const { running, output } = outputOf(await world.call('bash_output', { process_id: id }));
        expect([running, output]).toEqual([false, expect.stringContaining('nothing has changed yet: ')]);
        expect(output).toContain('; send the same call again to have a person asked');
        expect(output).not.toContain('none of its changes were kept');
      },
      { timeout: 60_000, interval: 300 },
    );
    expect(treeOf(world.root)).toEqual(before);
    const agreed = outputOf(await world.call('bash', call, { elicit: async () => ({ action: 'accept' }) }));
    expect(JSON.stringify(agreed)).not.toContain('nothing has changed yet');
    expect(Object.keys(treeOf(world.root))).not.toContain('docs/g0.txt');
  });
});

/** What people do all day in a repository whose files are those above; each is run in turn, and none is asked about. */
const harmless: readonly string[] = [
  'git init -q -b master . && git config user.name x && git config user.email x@x && git add -A && git commit -qm first',
  'git checkout -q -b topic && git rm -rq src/lib && git commit -qm "drop lib"',
  'git checkout -q master && git checkout -q topic && git checkout -q -',
  'git merge -q topic && git reset -q --hard HEAD~1',
  'rm -r docs && git checkout -q -- docs',
  'rm -r docs src/lib && git stash -q && git stash pop -q && git checkout -q .',
  'git mv src/lib src/library && git commit -qm moved && git revert --no-edit HEAD >/dev/null',
  `python3 -c 'import os
os.makedirs("lib2")
for n in os.listdir("src/lib"): os.rename("src/lib/" + n, "lib2/" + n)' && git checkout -q . && rm -r lib2`,
  'mkdir -p gen && for i in $(seq 40); do seq $i 40 > gen/$i.txt; done',
  'rm -r gen',
  'mkdir -p dist && for i in $(seq 40); do seq 30 > dist/$i.js; done; rm -r dist && mkdir dist && seq 9 > dist/a.js',
  'mkdir -p node_modules/a && for i in $(seq 60); do seq 30 > node_modules/a/$i.js; done',
  'rm -rf node_modules',
  `python3 -c 'import pathlib
for p in pathlib.Path(".").rglob("*.txt"): p.write_text(p.read_text().replace("what", "that"))'`,
  'git commit -qam codemod && sed -i s/that/what/ $(git ls-files "*.txt")',
  'git stash -q && git stash drop -q',
  `node -e 'const fs = require("fs"); for (const f of fs.readdirSync("data")) fs.writeFileSync("data/" + f, JSON.stringify(fs.readFileSync("data/" + f, "utf8").split("\\n"), null, 1).replaceAll("what", "it"))'`,
  'git checkout -q . && git gc -q',
  'git checkout -q --orphan pages && git rm -rqf --cached . && git checkout -q -f master',
  'git branch -D topic -q && git tag v1 && git rebase -q HEAD~1',
  'echo "*.log" > .gitignore && git add .gitignore && git commit -qm ignore',
  'for i in $(seq 30); do seq 20 > $i.log; done',
  `perl -e 'unlink glob("*.log")'`,
  'find . -name "*.log" -delete; git clean -fdxq',
  'git worktree add -q ../w 2>/dev/null; git fetch -q . master',
  'cp -r src copy && rm -r copy',
  'touch a b c; rm a b c',
  'find docs -name "g1*.txt" -delete; git checkout -q docs',
];

describe('a day of work on layers', needs(lackOfLayers), () => {
  test('nothing of it is asked about, and the tree is as it is without us', async () => {
    await using world = await openTestCheckpoint(coding);
    const asked: string[] = [];
    // What each does is judged alike, a few in one call.
    const commands = isHammer
      ? harmless
      : Array.from({ length: Math.ceil(harmless.length / 4) }, (_, at) =>
          harmless.slice(at * 4, at * 4 + 4).join(' && '),
        );
    for (const command of commands) {
      const reply = await world.call('bash', { command });
      if (reply.kind === 'error') asked.push(`${command}: ${JSON.stringify(errorOf(reply))}`);
      else if (outputOf(reply).exit_code !== 0) asked.push(`${command}: ${JSON.stringify(outputOf(reply))}`);
    }
    expect(asked).toEqual([]);
  }, 120_000);
});
