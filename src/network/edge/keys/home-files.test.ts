import { expect, test } from 'vitest';
import type { SecretRule } from '../../../contract/capabilities/secrets.ts';
import { homeFiles, loginVariables } from './home-files.ts';

function held(hosts: readonly string[], as: SecretRule['as'], username = 'me') {
  return { rule: { name: 'a', hosts, as, variable: 'A', username }, standIn: 'stand-in' };
}

function aws(variable: string, standIn: string) {
  return { rule: { ...held(['*.amazonaws.com'], ['sigv4']).rule, variable }, standIn };
}

test('Each kind of login stands in the file and the variable where its programs look', () => {
  const all = [
    held(['registry.npmjs.org', 'npm.test:8443', '*.npm.test'], ['bearer']),
    held(['upload.pypi.org', 'test.pypi.org'], ['basic']),
    held(['auth.docker.io', 'ghcr.test'], ['bearer', 'basic']),
    held(['api.github.com', 'crates.io'], ['bearer', 'basic']),
    held(['github.acme.test', 'github.com'], ['bearer']),
    aws('AWS', 'id:secret:token'),
    aws('OTHER', 'id:secret'),
    held(['a.test'], ['header:x-api-key']),
  ];
  const files = Object.fromEntries(homeFiles(all));
  expect(Object.keys(files)).toEqual([
    '.npmrc',
    '.netrc',
    '.pypirc',
    '.docker/config.json',
    '.config/gh/hosts.yml',
    '.config/gh/config.yml',
    '.aws/credentials',
  ]);
  expect(files['.npmrc']).toContain(
    '//registry.npmjs.org/:_authToken=stand-in\n//npm.test:8443/:_authToken=stand-in\n',
  );
  expect(files['.npmrc']).not.toMatch(/\*|pypi|amazonaws|a\.test/);
  expect(files['.netrc']).toBe(
    'machine upload.pypi.org login me password stand-in\nmachine test.pypi.org login me password stand-in\n',
  );
  expect(files['.pypirc']).toBe(
    '[pypi]\nusername = __token__\npassword = stand-in\n[testpypi]\nusername = __token__\npassword = stand-in\n',
  );
  const { auths } = JSON.parse(files['.docker/config.json'] ?? '');
  expect(Object.keys(auths)).toContain('https://index.docker.io/v1/');
  expect(auths['ghcr.test']).toEqual({ auth: Buffer.from('me:stand-in').toString('base64') });
  const login = { oauth_token: 'stand-in', user: 'me', git_protocol: 'https' };
  expect(JSON.parse(files['.config/gh/hosts.yml'] ?? '')).toEqual({
    'github.com': login,
    'github.acme.test': login,
  });
  expect(files['.aws/credentials']).toBe(
    '[default]\naws_access_key_id = id\naws_secret_access_key = secret\naws_session_token = token\n[a]\naws_access_key_id = id\naws_secret_access_key = secret\n',
  );
  expect(loginVariables(all)).toEqual({ GH_TOKEN: 'stand-in', CARGO_REGISTRY_TOKEN: 'stand-in' });
});

test('Without such a secret there are none', () => {
  expect([...homeFiles([held(['a.test'], ['path'])]), ...homeFiles([])]).toEqual([]);
});
