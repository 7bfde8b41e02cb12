import { expect, test } from 'vitest';
import { clientOauth } from '../../src/config/servers/client-oauth.ts';
import { oauthOf } from '../../src/config/servers/servers-oauth.ts';
import type { Text } from '../../src/contract/text/text.ts';

const read = (config: Parameters<typeof oauthOf>[1], url = 'https://far.example/mcp', headers = {}) =>
  oauthOf('servers.far', config, url, headers, (words) => words.replace('${SECRET}', 'filled'));

test('a server that says nothing may ask for a login, where a token is safe on its way', () => {
  expect(read(undefined)).toEqual({ grant: 'authorization_code' });
  expect(read(undefined, 'http://127.0.0.1:3000/mcp')).toEqual({ grant: 'authorization_code' });
  expect(read(undefined, 'http://far.example/mcp')).toBeUndefined();
  expect(read(undefined, undefined, { authorization: 'Bearer x' })).toBeUndefined();
  expect(read(false)).toBeUndefined();
});

test('variables are filled in', () => {
  const issuer = 'https://issuer.example';
  expect(read({ clientId: 'we', clientSecret: '${SECRET}', issuer })).toMatchObject({
    clientSecret: 'filled',
  });
});

test.each([
  ['plain http', {}, 'http://far.example/mcp', {}, 'https://'],
  ['a token of its own', {}, undefined, { Authorization: 'x' }, 'Authorization header'],
  ['a secret without a client', { clientSecret: 'x' }, undefined, {}, 'clientId'],
  ['a secret for anybody', { clientSecret: 'x', clientId: 'we' }, undefined, {}, 'issuer'],
  ['an account without a secret', { grant: 'client_credentials' as const }, undefined, {}, 'clientSecret'],
  ['an issuer over http', { issuer: 'http://issuer.example' }, undefined, {}, 'oauth.issuer'],
  [
    'a document without a path',
    { clientMetadataUrl: 'https://us.example/' },
    undefined,
    {},
    'clientMetadataUrl',
  ],
])('%s is refused, naming the key', (_what, config, url, headers, words) => {
  expect(() => read(config, url, headers)).toThrow(words);
});

test.each<[unknown, unknown, readonly string[]]>([
  [{ clientId: 'we', callbackPort: 8080 }, { clientId: 'we', redirectPort: 8080 }, []],
  [{ enabled: true, scopes: ['a', 'b'] }, { scope: 'a b' }, []],
  [{ enabled: true }, undefined, []],
  [{ enabled: false, clientId: 'we' }, false, []],
  [
    { client_id: 'we', client_secret: 's' },
    { clientId: 'we' },
    ['oauth.clientSecret is left out: name the issuer that it is for, and add it'],
  ],
  [
    { authorizationUrl: 'https://x.example', clientId: 7 },
    undefined,
    ['oauth.authorizationUrl is left out', 'oauth.clientId is left out'],
  ],
  [true, undefined, []],
  [false, false, []],
  ['yes', undefined, ['oauth is left out']],
  [['x'], undefined, ['oauth is left out']],
])('what a client says of a login: %j', (given, taken, expected) => {
  const notes: Text[] = [];
  expect(clientOauth(given, notes)).toEqual(taken);
  expect(notes.map(({ en }) => en)).toEqual(expected);
});
