import { expect, test } from 'vitest';
import { redact, redactText } from './redact.ts';

const secret = 'hunter2hunter2';

test.each([
  ...[
    'token',
    'accessToken',
    'refresh_token',
    'clientSecret',
    'db-password',
    'userPassword',
    'passphrase',
    'pwd',
  ],
  ...[
    'apiKey',
    'X-Api-Key',
    'AWS_SECRET_ACCESS_KEY',
    'privateKey',
    'signing_key',
    'credentials',
    'Authorization',
    'Cookie',
  ],
])('the value under %s is not kept, however deep it lies', (key) => {
  expect(JSON.stringify(redact({ env: [{ [key]: { value: secret } }], [key]: secret }, []))).not.toContain(
    secret,
  );
});

test.each(['max_tokens', 'keyboard', 'tokenizer', 'monkey', 'key', 'passwordless', 'author', 'secretary'])(
  'the value under %s is kept',
  (key) => {
    expect(redact({ [key]: secret }, [])).toEqual({ [key]: secret });
  },
);

test.each([
  `deploy --password ${secret}`,
  `deploy --token='${secret}'`,
  `gh auth --token ${secret} x`,
  `export AWS_SECRET_ACCESS_KEY=${secret}`,
  `curl -u ann:${secret} https://a.example`,
  `curl --user "ann:${secret}" https://a.example`,
  `PGPASSWORD=${secret} psql`,
  `curl -H 'X-Api-Key: ${secret}' x`,
  `git clone https://ann:${secret}@a.example/b`,
])('the secret of %j is taken out of a command', (command) => {
  expect(redactText(command)).not.toContain(secret);
  expect(redactText(command)).toContain('[redacted]');
});

test.each([
  `glpat-${'a1'.repeat(10)}`,
  `npm_${'a'.repeat(36)}`,
  `sk_live_${'a'.repeat(24)}`,
  `AIza${'b'.repeat(35)}`,
  'ASIAABCDEFGHIJKLMNOP',
  `ya29.${'c'.repeat(30)}`,
])('%s is known by its shape', (token) => {
  expect(redactText(`echo ${token} > x`)).toBe('echo [redacted] > x');
});

test.each([
  'sudo -u ann ls',
  'docker run -u 1000:1000 alpine',
  'git log --author ann',
  'echo the password is not here',
  'npm run token --silent',
])('%j is kept as it is', (command) => {
  expect(redactText(command)).toBe(command);
});
