import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemFiles } from '../system-paths.ts';
import { copySystemSettings } from './system-settings.ts';

test('what is not for everybody is shown only where the operator lists it', async () => {
  const isForUs = process.getuid?.() === 0;
  const secret = '/etc/shadow';
  expect(statSync(secret).mode & 0o004).toBe(0);
  for (const [system, listed, isShown] of [
    [['/etc/passwd', secret], [], false],
    [['/etc/passwd'], [secret], isForUs],
  ] as const) {
    const copied = await copySystemSettings({ system, listed });
    expect([existsSync(join(copied.path, 'passwd')), existsSync(join(copied.path, 'shadow'))]).toEqual([
      true,
      isShown,
    ]);
    await copied.close();
    expect(existsSync(copied.path)).toBe(false);
  }
});

test('a Java below /usr finds what it keeps in /etc', () => {
  const conf = ['/usr/lib/jvm/default-java/conf', '/usr/lib/jvm/java-17-openjdk-amd64/conf'].find(existsSync);
  if (conf === undefined) return;
  expect(systemFiles().some((path) => /^\/etc\/java-\d+-/.test(path))).toBe(true);
});
