import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Answer, Question, ToolOutput } from '../../src/contract/call.ts';
import { onSmallDisk } from '../records/small-disk.ts';
import { needs, sandbox, superuser } from '../support/needs.ts';
import { errorOf, openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { treeOf } from '../support/tree-of.ts';

const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`old/${index}.txt`, `${index}\n`]));
const files = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n', ...many };
const tries = {
  tool: 'bash',
  command: [['rm', 'sh', 'bash', 'git', 'python3', 'mv']],
  decision: 'try' as const,
  because: 'looked at first',
};
const coding = {
  files,
  flags: { profile: 'coding' },
  config: { rules: [tries], approval: { waitMs: 50 } },
};
/** Where somebody is there. */
const attended = { ...coding, config: { rules: [tries] } };

/** A person who answers so, and what they were asked. */
function person(action: Answer['action'], asked: Question[] = []) {
  return {
    asked,
    elicit: async (question: Question): Promise<Answer> => {
      asked.push(question);
      await new Promise((resolve) => setTimeout(resolve, 1600));
      return { action };
    },
  };
}

describe('a command that is tried', needs(sandbox('bubblewrap')), () => {
  test('lands at once where no rule speaks against what it did, and the reply says what that was', async () => {
    await using world = await openTestCheckpoint(coding);
    const reply = outputOf(
      await world.call('bash', {
        command:
          'rm b.txt; sed -i s/two/2/ a.txt; mkdir -p new/er; echo n > new/er/x; ln -s a.txt l; chmod 755 src/c.txt; echo done',
      }),
    );
    expect(reply).toMatchObject({
      exit_code: 0,
      stdout: 'done\n',
      changed: [
        'deleted b.txt (−1)',
        'changed a.txt (+1 −1)',
        'created l (symbolic link)',
        'created new/er/x (+1)',
        'changed src/c.txt (2 bytes, mode 644 → 755)',
      ],
    });
    expect(treeOf(world.root)).toMatchObject({
      'a.txt': '644 one\n2\n',
      l: '→ a.txt',
      'new/er/x': '644 n\n',
      'src/c.txt': '755 c\n',
    });
    expect(existsSync(join(world.root, 'b.txt'))).toBe(false);
    const { audit, history } = await world.checkpoint.store();
    const [entry] = await audit.search({ newestFirst: true, limit: 1 });
    expect(entry).toMatchObject({
      rule: 'rules[0]',
      facts: { tried: { decision: 'allow', rule: 'default', came: 'landed' } },
    });
    const paths = (await history.list({ limit: 10 })).map(({ path }) => path);
    expect(paths.toSorted()).toEqual(
      ['a.txt', 'b.txt', 'l', 'new', 'new/er', 'new/er/x', 'src/c.txt'].filter((path) =>
        paths.includes(path),
      ),
    );
    expect(paths).toEqual(expect.arrayContaining(['a.txt', 'b.txt', 'new/er/x']));
  });

  test('21 files that go are asked about, deletions first, with the diff; a no leaves the tree as it was', async () => {
    await using world = await openTestCheckpoint(attended);
    const before = treeOf(world.root);
    const no = person('decline');
    const error = errorOf(await world.call('bash', { command: 'rm old/*; sed -i s/one/1/ a.txt' }, no));
    expect(error).toMatchObject({ code: 'denied', details: { rule: 'effect-loses-most' } });
    expect(error.message).toContain('none of its changes were kept');
    expect(treeOf(world.root)).toEqual(before);
    const lines = no.asked[0]?.message.split('\n') ?? [];
    expect(lines[0]).toBe('deletes 21 files, changes 1: rm old/*; sed -i s/one/1/ a.txt');
    expect(lines).toContain(
      'Why you are asked: it deletes or overwrites 21 files, which is most of what was there (effect-loses-most, built in)',
    );
    expect(lines.indexOf('  changed a.txt (+1 −1)')).toBeGreaterThan(
      lines.indexOf('  deleted old/20.txt (−1)'),
    );
    expect(lines).toEqual(expect.arrayContaining(['--- a/a.txt', '-one', '+1']));
    const [entry] = await (await world.checkpoint.store()).audit.search({ newestFirst: true, limit: 1 });
    expect(entry).toMatchObject({
      code: 'denied',
      facts: { tried: { decision: 'ask', rule: 'effect-loses-most', came: 'discarded' } },
    });
  });

  test('a yes has it land, and the record says who gave it', async () => {
    await using world = await openTestCheckpoint(attended);
    outputOf(await world.call('bash', { command: 'rm -r old' }, person('accept')));
    expect(existsSync(join(world.root, 'old'))).toBe(false);
    const [entry] = await (await world.checkpoint.store()).audit.search({ newestFirst: true, limit: 1 });
    expect(entry).toMatchObject({
      approver: expect.stringContaining('client'),
      facts: { tried: { came: 'landed' } },
    });
  });

  test('a denial by a rule throws it away and tells the model why', async () => {
    const github = { effect: { writes: '.github/**' }, then: 'deny', because: 'CI is ours' } as const;
    await using world = await openTestCheckpoint({ ...coding, config: { rules: [tries, github] } });
    const before = treeOf(world.root);
    const error = errorOf(
      await world.call('bash', {
        command: "sh -c 'mkdir -p .github/workflows; echo on: push > .github/workflows/x.yml; rm a.txt'",
      }),
    );
    expect(error).toMatchObject({ code: 'denied', details: { rule: 'rules[1]' } });
    expect(error.message).toBe(
      'It was tried, and none of its changes were kept: CI is ours. Denied by rule rules[1] (sekisho.jsonc:1).',
    );
    expect(treeOf(world.root)).toEqual(before);
  });

  test('a write outside of the named folders is asked about', async () => {
    const outside = { effect: { outside: ['src/**'] }, then: 'ask' as const };
    await using world = await openTestCheckpoint({
      ...coding,
      config: { ...coding.config, rules: [tries, outside] },
    });
    const before = treeOf(world.root);
    expect(
      errorOf(await world.call('bash', { command: "sh -c 'echo x > src/d.txt; echo y > e.txt'" })).code,
    ).toBe('approval_pending');
    expect(treeOf(world.root)).toEqual(before);
    outputOf(await world.call('bash', { command: "sh -c 'echo x > src/d.txt'" }));
    expect(readFileSync(join(world.root, 'src/d.txt'), 'utf8')).toBe('x\n');
  });

  test('nobody there: what it did waits, and the same call sent again after a yes has it land without running', async () => {
    await using world = await openTestCheckpoint(coding);
    const before = treeOf(world.root);
    const call = { command: "sh -c 'rm -r old; date +%N > when; echo ran >> /tmp/ran; cat /tmp/ran'" };
    const error = errorOf(await world.call('bash', call));
    expect(error.code).toBe('approval_pending');
    expect(error.message).toContain('nothing has changed yet');
    expect(errorOf(await world.call('bash', call)).details).toEqual(error.details);
    expect(treeOf(world.root)).toEqual(before);
    const { approvals } = await world.checkpoint.store();
    const { approval_id: id } = error.details as { approval_id: string };
    const question = (await approvals.get(id))?.message.en ?? '';
    await approvals.decide(id, 'approved', 'cli:me', 'once', Date.now());
    outputOf(await world.call('bash', call));
    expect(existsSync(join(world.root, 'old'))).toBe(false);
    // What the person saw is what is there.
    expect(question).toContain(`+${readFileSync(join(world.root, 'when'), 'utf8').trim()}`);
  });

  test('a server that ends throws away what waits, and closes its question', async () => {
    await using world = await openTestCheckpoint(coding);
    const { approval_id: id } = errorOf(await world.call('bash', { command: 'rm -r old' })).details as {
      approval_id: string;
    };
    const other = errorOf(
      await world.call('bash', { command: 'git remote set-url origin https://x.example/y.git' }),
    );
    const { approvals } = await world.checkpoint.store();
    await world.checkpoint.gateway.leave?.({ transport: 'stdio', connectionId: 'test-connection' });
    expect(await approvals.get(id)).toMatchObject({
      status: 'declined',
      decidedBy: expect.stringContaining('layer'),
    });
    // What waits for words alone is still answered for a moment, as its caller may come back.
    const left = (await approvals.get(String(Object(other.details).approval_id)))?.expiresAtMs ?? Infinity;
    expect(left - Date.now()).toBeLessThanOrEqual(15 * 60_000);
    expect(existsSync(join(world.root, 'old/0.txt'))).toBe(true);
  });

  test.each([
    'rm -rf *',
    'find . -delete',
    'mv * /tmp/',
    'git clean -fdx',
    'rm -rf .git',
    'tar cf /dev/null --remove-files .',
    'truncate -s0 */* *',
    `find . -type f -exec sh -c 'echo > "$1"' _ {} \\;`,
    'for d in */ ; do rm -rf "$d"; done',
  ])('%s is caught by what it does', async (command) => {
    const config = { approval: { waitMs: 1 } };
    await using world = await openTestCheckpoint({ ...coding, config });
    execFileSync('sh', ['-c', 'git init -q && mkdir -p .git/logs && echo *.log > .gitignore'], {
      cwd: world.root,
    });
    const before = treeOf(world.root);
    const error = errorOf(await world.call('bash', { command }));
    expect(error).toMatchObject({
      code: 'approval_pending',
      details: { rule: expect.stringMatching(/^effect-/) },
    });
    expect(treeOf(world.root)).toEqual(before);
  });

  test('who has us run a tool of its own is not taken at its word for what came of it', async () => {
    await using world = await openTestCheckpoint(coding);
    const before = treeOf(world.root);
    const native = {
      carry: (ours: () => Promise<ToolOutput>) => ours(),
      elicit: async () => ({ action: 'accept' as const }),
    };
    expect(errorOf(await world.call('bash', { command: 'rm -r old' }, native)).code).toBe('approval_pending');
    expect(treeOf(world.root)).toEqual(before);
  });

  test('what is written to a shell in the background is not tried, and refused as ever', async () => {
    const config = { approval: { waitMs: 1 } };
    await using world = await openTestCheckpoint({ ...coding, config });
    const { process_id: id } = outputOf(
      await world.call('bash', { command: 'sleep 30; echo bash', background: true }),
    );
    const before = treeOf(world.root);
    const input = { process_id: id, text: 'rm -rf *\n' };
    expect(errorOf(await world.call('bash_input', input))).toMatchObject({
      code: 'denied',
      details: { rule: 'rm-everything' },
    });
    expect(errorOf(await world.call('bash', { command: 'rm -rf *', background: true })).code).toBe('denied');
    expect(treeOf(world.root)).toEqual(before);
  });

  test('what no tool may write does not land, and links, sockets and rights are no way around', async () => {
    await using world = await openTestCheckpoint(coding);
    const outside = join(world.folder, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'kept'), 'kept');
    symlinkSync(outside, join(world.root, 'link'));
    chmodSync(join(world.root, 'b.txt'), 0o600);
    const script = [
      'mkdir .vscode; echo x > s; python3 -c "import os; os.rename(chr(115), chr(46) + chr(118) + \\"scode/settings.json\\")"',
      'mkfifo pipe; cp a.txt bin; chmod 4755 bin || chmod 755 bin; rm link; mkdir link; echo mine > link/kept',
      'mv src moved; chmod 640 b.txt',
    ].join('; ');
    const reply = outputOf(await world.call('bash', { command: `sh -c '${script}'` }));
    expect(reply.changed).toEqual(expect.arrayContaining(['created moved/c.txt (+1)']));
    expect(JSON.stringify(reply.changed)).not.toMatch(/pipe|vscode/);
    expect(reply.stderr).toContain('as no tool writes it and a person has to: .vscode');
    expect(reply.stderr).toMatch(/as commands make no such entry.*: pipe/);
    expect(existsSync(join(world.root, '.vscode'))).toBe(false);
    expect(treeOf(world.root)).toMatchObject({
      bin: '755 one\ntwo\n',
      'link/kept': '644 mine\n',
      'moved/c.txt': '644 c\n',
      'b.txt': '640 b\n',
    });
    expect(existsSync(join(world.root, 'pipe'))).toBe(false);
    expect(readFileSync(join(outside, 'kept'), 'utf8')).toBe('kept');
  });

  test(
    'a disk that fills while it lands: how far it came is said and recorded',
    needs(superuser()),
    async () => {
      await using world = await openTestCheckpoint(coding);
      const { root } = world;
      await onSmallDisk(root, async () => {
        writeFileSync(join(root, 'a'), 'a\n');
        const script = 'echo A > a; head -c 2000000 /dev/zero > b; head -c 2000000 /dev/zero > c';
        const error = errorOf(await world.call('bash', { command: `sh -c '${script}'` }));
        expect(error).toMatchObject({ code: 'storage_full', details: { path: 'c' } });
        expect(error.message).toContain('landed only up to c: there is no space left');
        expect(error.suggestion).toBe(
          'Check what is there before you repeat it. `sekisho undo` undoes what landed.',
        );
        expect(readFileSync(join(root, 'a'), 'utf8')).toBe('A\n');
        expect(readdirSync(root).toSorted()).toEqual(['a', 'b']);
        const { audit, history } = await world.checkpoint.store();
        const [entry] = await audit.search({ newestFirst: true, limit: 1 });
        expect(entry).toMatchObject({ outcome: 'error', facts: { tried: { came: 'interrupted' } } });
        const paths = (await history.list({ limit: 10 })).map(({ path }) => path);
        expect(paths).toEqual(expect.arrayContaining(['a', 'b']));
      });
    },
  );

  test('a file system inside of a root: asked about instead, and said why', needs(superuser()), async () => {
    await using world = await openTestCheckpoint(coding);
    const inner = join(world.root, 'my data');
    mkdirSync(inner);
    await onSmallDisk(inner, async () => {
      const error = errorOf(await world.call('bash', { command: 'rm a.txt' }));
      expect(error.code).toBe('approval_pending');
      const { approval_id: id } = error.details as { approval_id: string };
      const { approvals } = await world.checkpoint.store();
      expect((await approvals.get(id))?.message.en).toContain(`mounted at ${inner}`);
      expect(errorOf(await world.call('bash', { command: 'sh -c true', dry_run: true }))).toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining(`a file system of its own is mounted at ${inner}`),
      });
    });
    outputOf(await world.call('bash', { command: 'rm a.txt' }));
  });
});
