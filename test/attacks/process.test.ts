import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Findings, intrude } from '../command/intrusion.ts';
import { needs, sandbox, superuser } from '../support/needs.ts';

/** What a backend is known not to hold; the threat model says so. */
const knownGaps = {
  bubblewrap: {},
  // Landlock adds rights below a folder and takes none away inside it.
  landlock: { 'change .git': 'reached' },
} as const;

for (const name of ['bubblewrap', 'landlock'] as const) {
  describe(name, needs(sandbox(name)), () => {
    test('an intruder inside the sandbox reaches nothing outside', async () => {
      const { tried, open } = await intrude(name);
      expect(open).toEqual(knownGaps[name]);
      expect(tried).toBe(37);
    });

    if (name === 'bubblewrap')
      test('nor with hosts that it may reach', async () => {
        const { tried, open } = await intrude(name, { entries: ['example.com'], key: 'process.network' });
        expect(open).toEqual(knownGaps[name]);
        expect(tried).toBe(37);
      });

    test.each(name === 'bubblewrap' ? [[[]], [['example.com']]] : [[[]]])(
      'nor as an ordinary user, with the hosts %j',
      needs(superuser()),
      async (hosts) => {
        const { stdout } = await promisify(execFile)(
          process.execPath,
          [fileURLToPath(new URL('../command/intrusion.ts', import.meta.url)), name, ...hosts],
          { uid: 65534, gid: 65534, env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' } },
        );
        const { tried, open } = JSON.parse(stdout) as Findings;
        expect(open).toEqual(knownGaps[name]);
        expect(tried).toBe(37);
      },
    );
  });
}
