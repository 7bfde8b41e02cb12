import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { needs, sandbox } from '../support/needs.ts';
import { errorOf, openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';

const files = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n' };
const coding = { files, flags: { profile: 'coding' } } as const;

describe('dry_run', needs(sandbox('bubblewrap')), () => {
  test('bash says what would change, changes nothing and leaves no history', async () => {
    await using world = await openTestCheckpoint(coding);
    const command = 'rm b.txt; sed -i s/two/2/ a.txt; echo done';
    const reply = await world.call('bash', { command, dry_run: true });
    expect(outputOf(reply)).toMatchObject({
      exit_code: 0,
      stdout: 'done\n',
      dry_run: { changes: ['deleted b.txt (−1)', 'changed a.txt (+1 −1)'], more: 0 },
    });
    expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(existsSync(join(world.root, 'b.txt'))).toBe(true);
    const { history } = await world.checkpoint.store();
    expect(await history.list({ limit: 10 })).toEqual([]);
  });

  test('what is refused for the files that it may lose is not refused there; the rest is', async () => {
    await using world = await openTestCheckpoint({ ...coding, config: { process: { tryFirst: false } } });
    for (const command of ['rm -rf *', 'rm -rf .', 'env rm -fr -- *']) {
      expect(errorOf(await world.call('bash', { command }))).toMatchObject({ code: 'denied' });
      expect(outputOf(await world.call('bash', { command, dry_run: true }))).toHaveProperty('dry_run');
    }
    for (const command of ['shutdown now', 'mkfs.ext4 /dev/sda1']) {
      const plain = errorOf(await world.call('bash', { command }, { signal: AbortSignal.timeout(200) }));
      const dry = errorOf(
        await world.call('bash', { command, dry_run: true }, { signal: AbortSignal.timeout(200) }),
      );
      expect([command, dry.code]).toEqual([command, plain.code]);
    }
    expect(existsSync(join(world.root, 'src/c.txt'))).toBe(true);
  });

  test('names the rule about effects that speaks against it', async () => {
    const rule = { effect: { writes: 'src/**' }, then: 'deny', because: 'src is mine' } as const;
    await using world = await openTestCheckpoint({ ...coding, config: { rules: [rule] } });
    const dry = async (command: string) => outputOf(await world.call('bash', { command, dry_run: true }));
    expect(await dry('rm a.txt')).not.toHaveProperty('dry_run.rules');
    expect(await dry('rm src/c.txt')).toMatchObject({
      dry_run: { rules: 'it would be refused: src is mine (rules[0])' },
    });
    expect(
      await dry('for i in $(seq 21); do echo > gone.$i; done; mkdir .husky; echo > .husky/x'),
    ).toMatchObject({
      dry_run: { rules: expect.stringMatching(/^a person would be asked: .*effect-runs-outside-later/) },
    });
  });

  test('with background it is refused, naming the field', async () => {
    await using world = await openTestCheckpoint(coding);
    const reply = await world.call('bash', { command: 'true', dry_run: true, background: true });
    expect(errorOf(reply)).toMatchObject({ code: 'invalid_parameter', details: { field: 'dry_run' } });
  });

  test('a rule of the operator holds for a dry run as well', async () => {
    const sed = { tool: 'bash', command: ['sed'], decision: 'deny' as const, because: 'no sed' };
    await using world = await openTestCheckpoint({ ...coding, config: { rules: [sed] } });
    const reply = await world.call('bash', { command: 'sed -i s/a/b/ a.txt', dry_run: true });
    expect(errorOf(reply)).toMatchObject({ code: 'denied' });
  });

  test('shell_exec has it too', async () => {
    await using world = await openTestCheckpoint({ files, config: { toolsets: ['agent-cli'] } });
    const reply = await world.call('shell_exec', { command: 'mv a.txt src/', dry_run: true });
    expect(outputOf(reply)).toMatchObject({
      exitCode: 0,
      dry_run: { changes: ['deleted a.txt (−2)', 'created src/a.txt (+2)'] },
    });
    expect(existsSync(join(world.root, 'a.txt'))).toBe(true);
  });
});
