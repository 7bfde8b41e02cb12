import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import { recoverLayers, removeLayer } from '../../src/command/layer/left.ts';
import { thisProcess } from '../../src/files/changing/under-way.ts';
import { onSmallDisk } from '../records/small-disk.ts';
import { needs, sandbox, superuser } from '../support/needs.ts';

// What a command leaves behind in the workspace is run by others later, outside of the sandbox.

const root = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-leftovers-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function run(name: 'bubblewrap' | 'landlock', script: string): Promise<string> {
  const runner = new CommandRunner({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    backends: [name],
    temporaryBytes: 16 * 1024 * 1024,
  });
  try {
    const result = await runner
      .forSession('s')
      .run(
        { kind: 'script', script, shell: 'bash' },
        { workingFolder: root, timeoutMs: 60_000, signal: new AbortController().signal },
      );
    return result.stdout + result.stderr;
  } finally {
    await runner.close();
  }
}

test('a layer whose removal is broken off is found by the next server', needs(superuser()), async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-layers-')));
  const layer = join(base, 'layer-a');
  mkdirSync(join(layer, '0'), { recursive: true });
  writeFileSync(join(layer, 'owner'), JSON.stringify({ ...thisProcess(), pid: 2 ** 22 + 1 }));
  await onSmallDisk(join(layer, '0'), () => expect(removeLayer(layer)).rejects.toThrow());
  expect(existsSync(join(layer, 'owner'))).toBe(true);
  await recoverLayers(base);
  await expect.poll(() => readdirSync(base)).toEqual([]);
  rmSync(base, { recursive: true });
});

describe.each(['bubblewrap', 'landlock'] as const)('%s', (name) => {
  test('leaves no set-user-id program', needs(sandbox(name)), async () => {
    const output = await run(
      name,
      'cp /bin/sh a; chmod 4755 a; chmod u+s a; chmod 755 a; install -m 4755 /bin/sh b; mkdir c; chmod 2775 c; umask 0; cp -p /usr/bin/passwd d; tar cf t.tar a; tar xf t.tar; echo done; stat -c %a a',
    );
    expect(output).toMatch(/done\n755/);
    for (const entry of readdirSync(root)) expect(statSync(join(root, entry)).mode & 0o4000, entry).toBe(0);
  });
});

test('/dev/shm is bounded, and /dev is not written', needs(sandbox('bubblewrap')), async () => {
  const output = await run(
    'bubblewrap',
    'head -c 64M /dev/zero > /dev/shm/big; stat -c %s /dev/shm/big; echo x > /dev/big; ls /dev/big; echo fine > /dev/stdout; echo > /dev/null && echo null',
  );
  expect(Number(/^\d+$/m.exec(output)?.[0])).toBeLessThanOrEqual(16 * 1024 * 1024);
  expect(output).toContain('No space left');
  expect(output).toMatch(/cannot access '\/dev\/big'/);
  expect(output).toMatch(/fine\n(.|\n)*null/);
});
