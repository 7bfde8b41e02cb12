import { expect, test } from 'vitest';
import { hasUserInfo, isSecureUrl } from './secure-url.ts';

test.each([
  ['https://example.com/mcp', true],
  ['HTTPS://EXAMPLE.COM', true],
  ['http://localhost:8080/a', true],
  ['http://127.0.0.1', true],
  ['http://[::1]:7040/', true],
  ['http://2130706433/', true],
  ['http://example.com/', false],
  ['http://localhost.example.com/', false],
  ['http://127.0.0.1.example.com/', false],
  ['http://localhost@example.com/', false],
  ['http://0.0.0.0/', false],
  ['ws://localhost/', false],
  ['file://localhost/etc', false],
])('is %s secure: %j', (url, isSecure) => {
  expect(isSecureUrl(new URL(url))).toBe(isSecure);
});

test.each([
  ['https://example.com/a@b', false],
  ['https://ada@example.com/', true],
  ['https://:word@example.com/', true],
])('does %s hold a user name or password: %j', (url, has) => {
  expect(hasUserInfo(new URL(url))).toBe(has);
});
