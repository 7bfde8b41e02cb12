import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ApprovalRecord } from '../../src/contract/records.ts';
import { withoutSecrets } from '../../src/ground/secrets/without-secrets.ts';
import { redact } from '../../src/ground/text/redact.ts';
import { composeNotice } from '../../src/notify/notice.ts';
import { cpuTimeMs } from '../support/cpu-time.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';
import { runCommand } from '../support/run-command.ts';
import { harmlessTexts, type SecretText, secretTexts } from './secret-corpus.ts';

/** No word of the secret stands there, nor a line of a key; shorter pieces could be of another's text. */
function isGone({ secret }: SecretText, kept: string, shortest = 4): boolean {
  return secret.split(/\s+|\\n/).every((piece) => piece.length < shortest || !kept.includes(piece));
}

test('of two hundred and more forms of secrets, none stays readable', () => {
  expect(secretTexts.length).toBeGreaterThanOrEqual(200);
  expect(secretTexts.filter((each) => !isGone(each, withoutSecrets(each.text)))).toEqual([]);
});

test('of two hundred and more texts that only look so, none is changed', () => {
  expect(harmlessTexts.length).toBeGreaterThanOrEqual(200);
  expect(harmlessTexts.filter((each) => withoutSecrets(each) !== each)).toEqual([]);
});

test('a text without its secrets stays as it is when it is looked at again', () => {
  for (const { text } of secretTexts) {
    const once = withoutSecrets(text);
    expect(withoutSecrets(once)).toBe(once);
  }
});

test.each([
  [{ argv: ['mysql', '--password', 'two words'] }, 'two words'],
  [{ env: [{ name: 'DB_PASSWORD', value: 'two words' }] }, 'two words'],
  [{ accountKey: 'abc' }, 'abc'],
  [{ connectionString: 'abc' }, 'abc'],
])('an argument that its neighbour announces is taken out of %j', (input, secret) => {
  expect(JSON.stringify(redact(input, []))).not.toContain(secret);
});

const beginnings = ['password=', '://a:', 'token="', '-----BEGIN PRIVATE KEY-----', 'authorization: ', '-p '];

test.each([...beginnings, 'docker login ', 'eyJ-', 'a '])(
  '64 kB of %j take a fraction of a second, and twice as much takes not four times as long',
  async (piece) => {
    const text = piece.repeat(Math.ceil(65_536 / piece.length));
    withoutSecrets(text);
    expect(await cpuTimeMs(() => withoutSecrets(text))).toBeLessThan(400);
    expect(await cpuTimeMs(() => withoutSecrets(text + text))).toBeLessThan(800);
  },
);

test('no secret is on disk after calls that carried them, nor in what the log says or a notice tells', async () => {
  await using world = await openTestCheckpoint();
  // Arguments that a tool does not know are in the log as well.
  const atOnce = 50;
  for (let at = 0; at < secretTexts.length; at += atOnce)
    await world.call('file_read', { paths: secretTexts.slice(at, at + atOnce).map(({ text }) => text) });
  const state = join(world.folder, 'state');
  const where = ['--root', world.root, '--state', state, '--config', join(world.folder, 'sekisho.jsonc')];
  const said = await runCommand(['audit', 'tail', '--json', '--lines', '50', ...where], world.folder, {
    HOME: world.folder,
  });
  expect(said.stdout).toContain('PGPASSWORD=[redacted] psql');
  expect(said.stdout.split('\n').filter((line) => line.includes('file_read'))).toHaveLength(
    Math.ceil(secretTexts.length / atOnce),
  );
  const onDisk = globSync(`${state}/**/*`, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
  expect(secretTexts.filter((each) => !isGone(each, said.stdout + onDisk, 12))).toEqual([]);
});

test('a notice with full details tells no secret of the question', () => {
  for (const each of secretTexts) {
    const record = {
      id: 'a',
      rule: 'r',
      tool: 't',
      principal: 'p',
      message: { en: each.text, ja: each.text },
    };
    const { body } = composeNotice({
      id: 'n',
      kind: 'question',
      questions: [record as ApprovalRecord],
      detail: 'full',
      locale: 'en',
      atMs: 0,
    });
    expect(isGone(each, body), body).toBe(true);
  }
});
