import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Findings, intrude } from '../process/intrusion.ts';
import { workingSandboxes } from '../process/working-sandboxes.ts';

const working = workingSandboxes();

/** What a backend is known not to hold; the threat model says so. */
const knownGaps = {
  bubblewrap: {},
  // Landlock adds rights below a folder and takes none away inside it.
  landlock: { 'change .git': 'reached' },
} as const;

for (const name of ['bubblewrap', 'landlock'] as const) {
  const title = working.has(name) ? name : `${name} (skipped: it does not work here)`;
  describe.skipIf(!working.has(name))(title, () => {
    test('an intruder inside the sandbox reaches nothing outside', async () => {
      const { tried, open } = await intrude(name);
      expect(open).toEqual(knownGaps[name]);
      expect(tried).toBe(37);
    });

    test.skipIf(name !== 'bubblewrap')('nor with hosts that it may reach', async () => {
      const { tried, open } = await intrude(name, { entries: ['example.com'], key: 'process.network' });
      expect(open).toEqual(knownGaps[name]);
      expect(tried).toBe(37);
    });

    const isRoot = process.getuid?.() === 0;
    const asUser = `nor as an ordinary user${isRoot ? '' : ' (skipped: the tests run as one already)'}`;
    test.skipIf(!isRoot).each(name === 'bubblewrap' ? [[[]], [['example.com']]] : [[[]]])(
      `${asUser}, with the hosts %j`,
      async (hosts) => {
        const { stdout } = await promisify(execFile)(
          process.execPath,
          [fileURLToPath(new URL('../process/intrusion.ts', import.meta.url)), name, ...hosts],
          { uid: 65534, gid: 65534, env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' } },
        );
        const { tried, open } = JSON.parse(stdout) as Findings;
        expect(open).toEqual(knownGaps[name]);
        expect(tried).toBe(37);
      },
    );
  });
}
