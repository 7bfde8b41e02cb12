import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { errorOf, openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { runCommand } from '../support/run-command.ts';
import { changedBy, marksIn, onLayer, runIn, takeBack, tree } from './layer-world.ts';

const pairs = process.env.SEKISHO_HAMMER ? 200 : 2;

describe('a command on a layer', needs(lackOfLayers), () => {
  let world: Awaited<ReturnType<typeof openTestCheckpoint>>;
  const at = (path: string) => join(world.root, path);

  beforeAll(async () => {
    world = await openTestCheckpoint({
      ...onLayer,
      files: { 'a.txt': 'one\n', 'dir/x': 'x\n', 'dir/y': 'y\n' },
    });
  });
  afterAll(() => world.close());

  test('is seen by the next, and leaves folder and exports to it', async () => {
    await runIn(world, 'echo n > n.txt && cd dir && export MADE=1');
    expect((await runIn(world, 'cat ../n.txt; echo $MADE; pwd; cd ..')).stdout).toBe(`n\n1\n${at('dir')}\n`);
  });

  test('that moves a folder which is there runs on the folders themselves, once, and is recorded', async () => {
    mkdirSync(at('old/in'), { recursive: true });
    writeFileSync(at('old/in/f'), 'f');
    const ran = await runIn(world, "echo once >> times; python3 -c \"import os; os.rename('old', 'new')\"");
    expect(ran).toMatchObject({
      exit_code: 0,
      stderr:
        '[layer: run again, and nothing of the run before was kept: a system call was refused that a layer has no answer to]\n',
    });
    expect(readFileSync(at('new/in/f'), 'utf8')).toBe('f');
    expect(readFileSync(at('times'), 'utf8')).toBe('once\n');
    expect(await changedBy(world, ran.auditId)).toEqual(
      ['new', 'new/in', 'new/in/f', 'old', 'old/in', 'old/in/f', 'times'].toSorted(),
    );
  });

  test('that has to run again on the folders themselves is held there, and undo brings back what it deleted', async () => {
    mkdirSync(at('old2'));
    mkdirSync(at('many'));
    for (let n = 0; n < 21; n++) writeFileSync(at(`many/${n}`), `of somebody ${n}`);
    await runIn(world, 'true');
    const before = tree(world.root);
    const asked: string[] = [];
    const reply = await world.call(
      'bash',
      { command: "python3 -c \"import os, shutil; os.rename('old2', 'new2'); shutil.rmtree('many')\"" },
      {
        elicit: async ({ message }) => {
          asked.push(message);
          return { action: 'accept' as const };
        },
        patienceMs: 3_600_000,
      },
    );
    expect(outputOf(reply)).toMatchObject({ exit_code: 0 });
    expect(asked.join()).toContain('It is held now.');
    const { history } = await world.checkpoint.store();
    const [ran] = await history.list({ standing: true, limit: 1 });
    expect(await takeBack(world, ran?.auditId ?? '')).toEqual([]);
    expect(tree(world.root)).toEqual(before);
  });

  test('beside one in the background sees what that writes, and is seen by it', async () => {
    const { process_id: id } = outputOf(
      await world.call('bash', {
        command: 'until [ -e ask.txt ]; do sleep 0.1; done; cp ask.txt answer.txt; sleep 30',
        background: true,
      }),
    );
    const ran = await runIn(
      world,
      'echo asked > ask.txt; until [ -s answer.txt ]; do sleep 0.1; done; cat answer.txt',
    );
    expect(ran.stdout).toBe('asked\n');
    await world.call('bash_kill', { process_id: id });
  });

  test('that ran on the folders themselves has the reason in its record, which policy why tells', async () => {
    const onOne = await runIn(world, 'mkdir old');
    const direct = await runIn(world, 'make serve; rmdir old');
    await world.call('bash', { command: 'true', background: true });
    const { audit } = await world.checkpoint.store();
    await audit.flush();
    const [inBackground] = await audit.search({ newestFirst: true, limit: 1 });
    const why = async (id: string, ...more: string[]) => {
      const given = ['--root', world.root, '--state', `${world.folder}/state`, ...more];
      return (await runCommand(['policy', 'why', id, ...given], world.root, { HOME: world.folder })).stdout;
    };
    expect(await why(direct.auditId)).toContain(
      'Ran on the folders themselves, because: it looks like a server or a watcher',
    );
    expect(await why(direct.auditId, '--locale', 'ja')).toContain('フォルダーを直接使った理由: ');
    expect(await why(onOne.auditId)).not.toContain('Ran on the folders');
    expect(await why(inBackground?.id ?? '')).toContain('because: it was started in the background');
  });

  test('that fails leaves nothing where nothing was to be left, by the call or by the configuration', async () => {
    const before = tree(world.root);
    const ran = await runIn(world, 'rm -r dir; echo half > half; false', { on_failure: 'discard' });
    expect(ran).toMatchObject({ exit_code: 1 });
    expect(ran.stderr).toBe('[layer: it failed, so nothing that it wrote was kept]\n');
    expect(tree(world.root)).toEqual(before);
    expect(await changedBy(world, ran.auditId)).toEqual([]);
    expect((await runIn(world, 'echo whole > whole', { on_failure: 'discard' })).exit_code).toBe(0);
    expect(existsSync(at('whole'))).toBe(true);
    // A server sees what changes, so nothing of it can be thrown away.
    const error = errorOf(
      await world.call('bash', { command: 'npm run dev; echo x > y', on_failure: 'discard' }),
    );
    expect(error).toMatchObject({ code: 'unavailable' });
    expect(existsSync(at('y'))).toBe(false);
  });

  test('leaves no pipe, and says so', async () => {
    const ran = await runIn(world, 'mkdir made; mkfifo made/p q; echo s > made/s; chmod 755 made/s');
    expect(ran.stderr).toContain('left as it was, as commands make no such entry');
    expect(existsSync(at('made/p')) || existsSync(at('q'))).toBe(false);
    expect((statSync(at('made/s')).mode & 0o7777).toString(8)).toBe('755');
  });

  test('keeps links, hard links among what it made, times and sparse files', async () => {
    await runIn(
      world,
      'mkdir -p k/in; echo 1 > k/1; ln k/1 k/2; mv dir/x k/in/moved; ln dir/y k/in/link; echo more >> dir/y; ln -s ../a.txt k/l; truncate -s 8M k/sparse; touch -d 2020-01-02T03:04:05Z k/1',
    );
    expect(lstatSync(at('k/1')).ino).toBe(lstatSync(at('k/2')).ino);
    expect(lstatSync(at('k/1')).mtime.toISOString()).toBe('2020-01-02T03:04:05.000Z');
    expect(lstatSync(at('k/sparse')).blocks).toBeLessThan(100);
    expect(marksIn(at('k'))).toBe('');
  });

  test.each(['data.db', 'app.duckdb', 'notes.log'])(
    'leaves %s, which others have open, to be written in place',
    async (name) => {
      writeFileSync(at(name), 'v1');
      const { ino } = statSync(at(name));
      const holder = openSync(at(name), 'r+');
      try {
        await runIn(world, `echo v2 >> ${name}`);
        expect(readFileSync(at(name), 'utf8')).toBe('v1v2\n');
        expect(statSync(at(name)).ino).toBe(ino);
      } finally {
        closeSync(holder);
      }
    },
  );

  test('sets times and attributes of folders that are there', async () => {
    mkdirSync(at('dated/in'), { recursive: true });
    const set = "import os; os.setxattr('dated', 'user.note', b'x')";
    await runIn(world, `python3 -c "${set}"; touch -d 2020-01-02T03:04:05Z dated/in dated`);
    for (const path of ['dated', 'dated/in'])
      expect(statSync(at(path)).mtime.toISOString()).toBe('2020-01-02T03:04:05.000Z');
    expect((await runIn(world, `python3 -c "import os; print(os.listxattr('dated'))"`)).stdout).toBe(
      "['user.note']\n",
    );
    expect(marksIn(at('dated'))).toBe('');
  });

  test('is run on the folders themselves where it has to be, also where no history is kept', async () => {
    await using other = await openTestCheckpoint({
      ...onLayer,
      config: { history: { commands: 'off' }, process: { onFailure: 'discard' } },
      files: { 'data.db': 'v1' },
    });
    const holder = openSync(join(other.root, 'data.db'), 'r+');
    try {
      expect((await runIn(other, 'echo v2 >> data.db')).exit_code).toBe(0);
      expect(readFileSync(join(other.root, 'data.db'), 'utf8')).toBe('v1v2\n');
    } finally {
      closeSync(holder);
    }
  });

  test('gits at once wait for each other: no commit is lost', async () => {
    const git = (words: string) =>
      execFileSync('git', ['-C', world.root, ...words.split(' ')], { encoding: 'utf8' });
    git('init -q');
    git('config user.name Mai');
    git('config user.email mai@example.com');
    const commits = [1, 2].map((n) =>
      runIn(world, `echo ${n} > g${n} && git add g${n} && git commit -qm ${n} g${n} && sleep 1`),
    );
    const person = sleep(500).then(() => git('commit -q --allow-empty -m person'));
    expect(
      (await Promise.all([...commits, person.then(() => ({ exit_code: 0, stderr: '' }))])).map(
        ({ exit_code: code, stderr }) => (code === 0 ? 0 : stderr),
      ),
    ).toEqual([0, 0, 0]);
    expect(git('log --format=%s').trim().split('\n').toSorted()).toEqual(['1', '2', 'person']);
  });

  test('that a person lets land after another git was there leaves the branch to that, and names its commit', async () => {
    const root = at('apart');
    mkdirSync(join(root, 'many'), { recursive: true });
    for (let n = 0; n < 25; n++) writeFileSync(join(root, `many/${n}`), `of somebody ${n}`);
    const git = (...words: string[]) => execFileSync('git', ['-C', root, ...words], { encoding: 'utf8' });
    git('init', '-q', '-b', 'main');
    git('config', 'user.name', 'Mai');
    git('config', 'user.email', 'mai@example.com');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    git('branch', 'side');
    const reply = await world.call(
      'bash',
      {
        command:
          '(cd apart && rm -r many && echo 1 > own && git add own && git commit -qm own && git branch new && git branch -f side)',
      },
      {
        elicit: async () => {
          writeFileSync(join(root, 'mine'), 'mine');
          git('add', 'mine');
          git('commit', '-q', '-m', 'person');
          return { action: 'accept' as const };
        },
        patienceMs: 3_600_000,
      },
    );
    const { stderr } = outputOf(reply) as { readonly stderr: string };
    expect(git('log', '--format=%s', 'main').trim().split('\n')).toEqual(['person', 'first']);
    expect(git('status', '--porcelain')).toBe('?? own\n');
    const own =
      /stay as it left them: .*refs\/heads\/main.*; the command had set them to ([0-9a-f]{40})/.exec(
        stderr,
      )?.[1];
    for (const name of [own ?? '', 'new', 'side'])
      expect(git('log', '-1', '--format=%s', name)).toBe('own\n');
    expect(git('fsck', '--strict')).toBe('');
  });

  test('two at once that make the same folder each leave what they put there', async () => {
    const made = [1, 2].map((n) =>
      runIn(world, `mkdir -p shared/in; echo ${n} > shared/in/${n}; sleep ${n}`),
    );
    const person = sleep(300).then(() => {
      mkdirSync(at('shared'), { recursive: true });
      writeFileSync(at('shared/mine'), 'mine');
    });
    await Promise.all([...made, person]);
    expect(Object.keys(tree(at('shared')))).toEqual(['in', 'in/1', 'in/2', 'mine']);
    await runIn(world, 'rm -r shared; mkdir -p shared/in; echo 3 > shared/in/3');
    expect(Object.keys(tree(at('shared')))).toEqual(['in', 'in/3']);
  });

  test(`two at once, ${pairs} times: the last write stays, the other is told and can be had`, async () => {
    for (let round = 0; round < pairs; round++) {
      writeFileSync(at('both.txt'), 'start\n');
      const slow = runIn(world, `cat both.txt; sleep 1.5; echo slow-${round} > both.txt`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      writeFileSync(at('both.txt'), `person-${round}\n`);
      const { stderr, auditId } = await slow;
      expect(readFileSync(at('both.txt'), 'utf8')).toBe(`slow-${round}\n`);
      expect(stderr).toContain('changed by others while this ran, and overwritten: both.txt');
      expect(await takeBack(world, auditId)).toEqual([]);
      expect(readFileSync(at('both.txt'), 'utf8')).toBe(`person-${round}\n`);
    }
  });
});
