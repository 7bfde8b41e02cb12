import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import { openKernel } from '../../src/command/seccomp/kernel.ts';
import type { StageSpawnRequest } from '../../src/contract/capabilities/pipeline.ts';
import { needs, sandbox } from '../support/needs.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-stages-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const root = join(base, 'root');
mkdirSync(root);
writeFileSync(join(root, 'in'), 'b\na\nb\n');
writeFileSync(join(base, 'secret'), 'hush');

for (const name of ['landlock', 'bubblewrap'] as const) {
  describe(name, needs(sandbox(name)), () => {
    const runner = new CommandRunner({
      roots: [{ hostPath: root, writable: true }],
      sandbox: 'required',
      backends: [name],
    });
    afterAll(() => runner.close());

    async function stage(
      program: string,
      args: readonly string[],
      descriptors: readonly number[],
      more = {},
    ) {
      const { spawn, sandbox } = await runner.stages();
      expect(sandbox).toBe(name);
      const request: StageSpawnRequest = {
        program,
        args,
        environment: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
        workingFolder: root,
        descriptors,
        readable: [root],
        writable: [],
        ...more,
      };
      return spawn(request);
    }

    test('stages are joined by pipes, and read a file that was opened for them', async () => {
      const { syscall } = await openKernel();
      const pipe = () => {
        const ends = new Uint8Array(8);
        syscall(process.arch === 'x64' ? 293 : 59, ends, 0o2000000);
        const view = new DataView(ends.buffer);
        return { read: view.getInt32(0, true), write: view.getInt32(4, true) };
      };
      const nothing = openSync('/dev/null', 'r+');
      const input = openSync(join(root, 'in'), 'r');
      const output = openSync(join(base, 'out'), 'w');
      const [first, second] = [pipe(), pipe()];
      const children = await Promise.all([
        stage('/usr/bin/cat', ['/dev/fd/3'], [nothing, first.write, nothing, input]),
        stage('/usr/bin/sort', [], [first.read, second.write, nothing]),
        stage('/usr/bin/uniq', ['-c'], [second.read, output, nothing]),
      ]);
      for (const fd of [nothing, input, output, first.read, first.write, second.read, second.write])
        closeSync(fd);
      expect(await Promise.all(children.map((child) => child.ended))).toEqual(
        Array(3).fill({ code: 0, signal: undefined }),
      );
      expect(readFileSync(join(base, 'out'), 'utf8')).toBe('      1 a\n      2 b\n');
    });

    test('a stage reads nothing else and writes nowhere', async () => {
      const nothing = openSync('/dev/null', 'r+');
      const code = async (program: string, ...args: string[]) =>
        (await (await stage(program, args, [nothing, nothing, nothing])).ended).code;
      expect(await code('/usr/bin/cat', join(root, 'in'))).toBe(0);
      expect(await code('/usr/bin/cat', join(base, 'secret'))).not.toBe(0);
      expect(await code('/usr/bin/sort', '-o', join(root, 'made'), join(root, 'in'))).not.toBe(0);
      expect(await code('/usr/bin/cat', `/proc/${process.pid}/environ`)).not.toBe(0);
      closeSync(nothing);
    });

    test('a killed stage has ended when the kill is done', async () => {
      const nothing = openSync('/dev/null', 'r+');
      const child = await stage('/usr/bin/sleep', ['1000'], [nothing, nothing, nothing]);
      closeSync(nothing);
      await child.kill();
      const { code, signal } = await child.ended;
      expect(signal === 'SIGKILL' || (code ?? 0) > 128).toBe(true);
    });

    test('a program that is not there is an error, not a stage', async () => {
      await expect(stage('/usr/bin/no-such-program', [], [0, 1, 2])).rejects.toThrow();
    });
  });
}
