import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openBubblewrap } from '../../src/confine/process/bubblewrap.ts';
import { openLandlock } from '../../src/confine/process/landlock.ts';
import { findHole } from '../../src/confine/process/self-test.ts';
import { openUnconfined } from '../../src/confine/process/unconfined.ts';
import { workingSandboxes } from './working-sandboxes.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-self-test-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const working = await workingSandboxes();

/** bubblewrap with its arguments changed: what an old or patched one would be. */
function weakened(change: string) {
  const program = join(root, `bwrap-${Math.random()}`);
  writeFileSync(program, `#!/bin/bash\nargs=("$@")\n${change}\nexec /usr/bin/bwrap "\${args[@]}"\n`);
  chmodSync(program, 0o755);
  return openBubblewrap({
    program,
    roots: [{ hostPath: root, writable: true }],
    readable: [],
    readOnlyNames: [],
    hiddenPaths: [],
    temporaryBytes: 1024 * 1024,
    path: undefined,
  });
}

const without = (words: string, count: number) =>
  `for i in "\${!args[@]}"; do if [ "\${args[i]}" = "${words}" ]; then args=("\${args[@]:0:i}" "\${args[@]:i+${count}}"); break; fi; done`;

describe.skipIf(!working.has('bubblewrap'))('bubblewrap', () => {
  test.each([
    ['the network is shared', 'args=("${args[0]}" --share-net "${args[@]:1}")', /network/],
    [
      "the host's files are bound",
      'for i in "${!args[@]}"; do [ "${args[i]}" = --remount-ro ] && args=("${args[@]:0:i}" --bind /root /root --bind /home /home --bind /tmp /tmp "${args[@]:i}") && break; done',
      /file outside could be (read|written)/,
    ],
    ['the system call filter is left out', without('--seccomp', 2), /filter/],
    [
      'capabilities are kept',
      `${without('--cap-drop', 2)}; args=(--cap-add ALL "\${args[@]}")`,
      /capabilities/,
    ],
  ])('when %s, the self-test goes red', async (_, change, hole) => {
    const backend = await weakened(change);
    try {
      expect(await findHole(backend, [root])).toMatch(hole);
    } finally {
      await backend.close();
    }
  });

  test('as it is, it holds', async () => {
    const backend = await weakened('');
    expect(await findHole(backend, [root])).toBeUndefined();
    await backend.close();
  });
});

describe.skipIf(!working.has('landlock'))('landlock', () => {
  test('when everything may be read, the self-test goes red', async () => {
    const backend = await openLandlock({ roots: [root], readable: ['/'], path: undefined });
    try {
      expect(await findHole(backend, [root])).toMatch(/could be read/);
    } finally {
      await backend.close();
    }
  });
});

test('without any wall the self-test goes red', async () => {
  const backend = await openUnconfined();
  expect(await findHole(backend, [root])).toBeDefined();
});
