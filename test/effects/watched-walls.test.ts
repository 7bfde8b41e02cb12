import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import type { RunOptions } from '../../src/contract/capabilities/process.ts';
import { createTestJudge } from '../support/effects-judge.ts';
import { needs, sandbox } from '../support/needs.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';
import { plantRepository, takeBack, tree } from './layer-world.ts';

/* What bubblewrap is not needed for: commands are watched behind Landlock alone, and without a sandbox. */

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

const wipes = [
  'python3 -c "import glob, os; [os.remove(f) for f in glob.glob(\'data/*\')]"',
  'for f in data/*; do : > "$f"; done',
  'rm -rf .git/objects .git/refs',
  'rm -f "$(git rev-parse HEAD | sed "s|^..|.git/objects/&/|")"',
  'o=$(git rev-parse HEAD: | sed "s|^..|.git/objects/&/|"); echo x > x; mv -f x "$o"',
  'rm -rf .git/logs; : > .git/refs/heads/$(git branch --show-current)',
  'f=.git/refs/heads/$(git branch --show-current); rm -rf .git/logs; truncate -s 3 "$f"',
  'mv data d2; (cd d2; setsid -w find . -type f -delete)',
];

describe.each(['landlock', 'none'] as const)('Behind %s', (name) => {
  describe('', needs(name === 'none' ? undefined : sandbox(name)), () => {
    let world: World;
    let runner: CommandRunner;
    const asked: string[] = [];

    async function run(script: string, answer: boolean, more: Partial<RunOptions> = {}) {
      const history = await world.checkpoint.rooms.history();
      const judge = createTestJudge((because) => {
        asked.push(because);
        return answer;
      });
      const commands = runner.forSession('one', { judge, history: history.ofCommands([world.root]) });
      const who = { principal: 'local', sessionId: 'one', tool: 'bash', auditId: `a${Math.random()}` };
      let durable: Promise<void> | undefined;
      const result = await history.recorder.attribute(
        who,
        () =>
          commands.run(
            { kind: 'script', shell: 'bash', script },
            {
              workingFolder: world.root,
              timeoutMs: 30_000,
              signal: new AbortController().signal,
              ...more,
            },
          ),
        (_, told) => {
          durable = told;
        },
      );
      await durable;
      return { ...result, auditId: who.auditId };
    }

    beforeAll(async () => {
      world = await openTestCheckpoint({ flags: { profile: 'coding' } });
      runner = new CommandRunner({
        roots: [{ hostPath: world.root, writable: true }],
        layers: mkdtempSync('/var/tmp/sekisho-walls-'),
        ...(name === 'none' ? { sandbox: 'off' } : { sandbox: 'required', backends: [name] }),
      });
      plantRepository(world.root);
      mkdirSync(join(world.root, 'data'));
      for (let n = 0; n < 40; n++)
        writeFileSync(join(world.root, `data/${n}.csv`), `row ${n}: what nothing else has, in many words\n`);
    });
    afterAll(async () => {
      await runner.close();
      await world.close();
    });

    test.each(wipes)('is held at the limit, and put back at a no: %s', async (script) => {
      const before = tree(world.root, { withoutObjects: false });
      asked.length = 0;
      const { stderr, exitCode } = await run(script, false);
      expect(asked).toHaveLength(1);
      expect(exitCode).not.toBe(0);
      expect(stderr).toContain('it was ended, and what it had changed is put back');
      expect(tree(world.root, { withoutObjects: false })).toEqual(before);
    });

    test('leaves nothing in the history where all was put back, be it large or written twice', async () => {
      const at = (path: string) => join(world.root, path);
      writeFileSync(at('large.bin'), Buffer.alloc(9 * 1024 * 1024, 'large'));
      for (const path of ['one.txt', 'two.txt']) writeFileSync(at(path), `${path} of somebody\n`);
      const { auditId } = await run(
        `mv one.txt two.txt; echo more >> two.txt; : > two.txt; rm large.bin; ${wipes[0]}`,
        false,
      );
      const { history } = await world.checkpoint.store();
      expect(await history.list({ auditId, limit: 10 })).toEqual([]);
      const touched = await run('touch -d 2001-02-03 large.bin', true);
      expect(await history.list({ auditId: touched.auditId, limit: 10 })).toEqual([]);
      for (const path of ['large.bin', 'one.txt', 'two.txt']) rmSync(at(path));
    });

    test('goes on at a yes, and is undone byte for byte', async () => {
      const before = tree(world.root, { withoutObjects: false });
      const { auditId, stderr } = await run(`${wipes[0]}; ${wipes[2]}; echo new > made`, true);
      expect(stderr).not.toContain('put back');
      expect(Object.keys(tree(world.root)).filter((path) => path.startsWith('data/'))).toEqual([]);
      expect(await takeBack(world, auditId)).toEqual([]);
      expect(tree(world.root, { withoutObjects: false })).toEqual(before);
    });

    test('brings in nothing that is obeyed later', async () => {
      const before = tree(world.root);
      asked.length = 0;
      await run('mkdir t; echo evil > t/x; mv t .husky', false);
      expect(asked.join()).toContain('it writes .husky/x');
      const { stderr } = await run('mkdir t; echo evil > t/tasks.json; mv t .vscode; rm -r t', true);
      expect(stderr).toContain(
        '[history: not written, as no tool writes it and a person has to: .vscode/tasks.json]',
      );
      expect(tree(world.root)).toEqual(before);
    });

    if (name === 'landlock')
      test('leaves modes, times, owners and attributes of what lies outside, and of devices', async () => {
        const outside = mkdtempSync('/var/tmp/sekisho-outside-');
        const key = join(outside, 'key');
        writeFileSync(key, 'k', { mode: 0o600 });
        const seen = () =>
          [key, outside, '/dev/null', '/dev/tty'].map((path) => {
            const { mode, mtimeMs, uid, gid } = statSync(path);
            return { path, mode, uid, gid, mtimeMs: path.startsWith('/dev') ? 0 : mtimeMs };
          });
        const before = seen();
        const xattr = `python3 -c "import os; os.setxattr('${key}', 'user.k', b'x')"`;
        const each = [`chmod 644 ${key}`, `chmod 777 ${outside}`, `touch -d @1000 ${key}`, `chgrp 1 ${key}`];
        const { stdout } = await run(
          [...each, xattr, 'chmod 600 /dev/null', 'chmod 600 /dev/tty', 'chgrp 1 /dev/null']
            .map((one) => `${one} 2>&- || echo no`)
            .join('\n'),
          true,
        );
        expect(stdout).toBe('no\n'.repeat(8));
        expect(seen()).toEqual(before);
        rmSync(outside, { recursive: true });
      });

    test('works as ever: pipes, temporary files, git, what is left running', async () => {
      const { exitCode, stdout } = await run(
        'mkfifo p; cat p & echo fifo > p; wait; rm p; echo a > /dev/null; t=$(mktemp); echo temp > "$t"; cat "$t"; rm "$t"; git log --oneline | wc -l; (sleep 60 &); sh -c "exit 3"',
        false,
      );
      expect({ exitCode, stdout }).toEqual({
        exitCode: 3,
        stdout: expect.stringMatching(/^fifo\ntemp\n\d+\n$/),
      });
    });
  });
});
