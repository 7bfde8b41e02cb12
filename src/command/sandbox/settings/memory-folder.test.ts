import { existsSync, mkdtempSync, rmSync, statfsSync, utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { needs } from '../../../../test/support/needs.ts';
import { openKernel } from '../../seccomp/kernel.ts';
import { openMemoryFolder } from './memory-folder.ts';

const prefix = 'sekisho-memory-test-';
const inMemory = statfsSync('/dev/shm').type === 0x01021994;

test(
  'what a server left that is gone is removed, and not what one has that lives',
  needs(inMemory ? undefined : '/dev/shm not in memory'),
  async () => {
    const kernel = await openKernel();
    const living = await openMemoryFolder(prefix, kernel, []);
    const [left, fresh] = [mkdtempSync(`/dev/shm/${prefix}`), mkdtempSync(`/dev/shm/${prefix}`)];
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const path of [living?.path ?? '', left]) utimesSync(path, longAgo, longAgo);

    const next = await openMemoryFolder(prefix, kernel, []);

    expect([living?.path ?? '', left, fresh, next?.path ?? ''].map(existsSync)).toEqual([
      true,
      false,
      true,
      true,
    ]);
    await living?.close();
    await next?.close();
    rmSync(fresh, { recursive: true });
    expect([living?.path ?? '', next?.path ?? ''].map(existsSync)).toEqual([false, false]);
  },
);

test.each(['/', '/dev', '/dev/shm', '/dev/shm/project'])(
  'where commands may write in %s it lies elsewhere',
  async (root) => {
    expect(await openMemoryFolder(prefix, await openKernel(), [root])).toBeUndefined();
  },
);
