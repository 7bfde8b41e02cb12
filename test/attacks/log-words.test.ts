import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { redact } from '../../src/ground/text/redact.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';
import { startFile } from '../support/run-command.ts';

test.each([
  ["curl -H 'Authorization: Bearer s3cr3ts3cr3t' x", 's3cr3t'],
  ['psql "password=hunter22"', 'hunter22'],
  ['PGPASSWORD=hunter22 psql', 'hunter22'],
  ['git clone https://me:hunter22@example.com/x', 'hunter22'],
  ['{"api_key": "hunter22"}', 'hunter22'],
])('the log does not keep the secret in %s', (words, secret) => {
  expect(redact({ command: words }, [])).not.toMatchObject({ command: expect.stringContaining(secret) });
});

test.each(['npm test -- --token', 'git log --grep password', 'https://example.com:8080/a@b', 'echo basic'])(
  'the log keeps %s as it is',
  (words) => {
    expect(redact(words, [])).toBe(words);
  },
);

test('redaction takes time in proportion, whatever the words', () => {
  for (const words of ['password=', '://', 'bearer ', '://a:', 'token="'])
    expect(typeof redact(words.repeat(Math.floor(1024 / words.length)), [])).toBe('string');
});

test('an entry is one line on a terminal, with nothing that turns or hides it', async () => {
  await using world = await openTestCheckpoint();
  await world.call('file_read', { path: 'a\u202eb\u001b[31m\n2026 fake entry\u200b' });
  const { stdout } = await promisify(execFile)(process.execPath, [
    startFile,
    ...['audit', 'tail', '--root', world.root, '--state', join(world.folder, 'state')],
    ...['--config', join(world.folder, 'sekisho.jsonc')],
  ]);
  const shown = stdout.split('\n').filter((line) => line.includes('file_read'));
  expect(shown).toHaveLength(1);
  expect(shown[0]).toContain('fake entry');
  expect(shown[0]).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});
