import { existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { onSmallDisk } from '../records/small-disk.ts';
import { needs, superuser } from '../support/needs.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';

/* What tools claim of what they left out or did not do, each where it is true, and where it must not stand. */

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

describe('a tool', needs(lackOfLayers), () => {
  let world: World;
  let coding: World;
  beforeAll(async () => {
    world = await openTestCheckpoint();
    coding = await openTestCheckpoint({ flags: { profile: 'coding' } });
  });
  afterAll(async () => {
    await world.close();
    await coding.close();
  });
  const at = (path: string) => join(world.root, path);
  const told = async (tool: string, input: object, of = world) => JSON.stringify(await of.call(tool, input));

  test('that writes no programs says so, and writes a text', async () => {
    const write = (path: string, content: string) => told('file_write', { path, content });
    expect(await write('run.sh', 'echo a\n')).toMatch(
      /would be executable .*programs and scripts are not written\./,
    );
    expect(existsSync(at('run.sh'))).toBe(false);
    expect(await write('run.txt', 'a\n')).not.toContain('executable');
    expect(existsSync(at('run.txt'))).toBe(true);
  });

  test('that shortens an output says how much it left out', async () => {
    const long = 'write the output to a file and read the file to see all of it';
    const count = (n: number) => ({ command: `seq ${n}` });
    expect(await told('shell_exec', count(400_000))).toContain(long);
    expect(await told('shell_exec', count(100))).not.toContain(long);
    expect(await told('bash', count(400_000), coding)).toMatch(/\[… \d+ bytes left out/);
    expect(await told('bash', count(100), coding)).not.toContain('left out');
  });
});

test(
  'a dry run that would fill the disk is ended and says so, one that fits does not',
  needs(lackOfLayers, superuser()),
  async () => {
    const small = mkdtempSync(join(tmpdir(), 'sekisho-full-'));
    await onSmallDisk(
      small,
      async () => {
        const [root, state] = [join(small, 'root'), join(small, 'state')];
        mkdirSync(root);
        await using world = await openTestCheckpoint({ flags: { profile: 'coding', root, state } });
        const words = /\[dry run: ended, as it wrote more than \d+ MiB\]/;
        const told = async (command: string) =>
          JSON.stringify(await world.call('bash', { command, dry_run: true }));
        const fits = await told('echo little > a.txt');
        expect(fits).toContain('created a.txt');
        expect(fits).not.toMatch(words);
        const begun = performance.now();
        expect(await told('head -c 34000000 /dev/zero > b.bin; sleep 25')).toMatch(words);
        expect(performance.now() - begun).toBeLessThan(25_000);
        expect(readdirSync(root)).toEqual([]);
      },
      40,
    );
  },
);

test(
  'a full disk is told with what was left undone, which is so',
  needs(lackOfLayers, superuser()),
  async () => {
    const small = mkdtempSync(join(tmpdir(), 'sekisho-full-'));
    await onSmallDisk(small, async () => {
      const [root, state] = [join(small, 'root'), join(small, 'state')];
      mkdirSync(root);
      await using world = await openTestCheckpoint({ flags: { profile: 'coding', root, state } });
      const told = async (tool: string, input: object) => JSON.stringify(await world.call(tool, input));
      await told('bash', { command: 'true' });
      const tooMuch = 'x'.repeat(7_000_000);
      expect(await told('write_file', { path: 'much.txt', content: tooMuch })).toContain(
        'There is no space left to write much.txt; nothing was changed.',
      );
      const ran = await told('bash', {
        command: 'echo made > a.txt; head -c 60000000 /dev/zero > b.bin; echo over',
      });
      expect(ran).toContain(
        'The command ran on a layer, and nothing of it was kept: there is no space left to note its changes.',
      );
      expect(ran).toContain(
        'Nothing in the folders has changed. Send it again once the operator has freed space.',
      );
      expect(readdirSync(root)).toEqual([]);
      await vi.waitFor(
        async () => {
          const fits = await told('write_file', { path: 'little.txt', content: 'x' });
          expect(fits).toContain('Created little.txt');
          expect(fits).not.toMatch(/no space left|has changed/);
        },
        { timeout: 60_000, interval: 500 },
      );
      expect(readdirSync(root)).toEqual(['little.txt']);
    });
  },
);
