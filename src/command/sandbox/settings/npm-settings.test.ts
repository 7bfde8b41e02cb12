import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { harmlessLines, writeNpmSettings } from './npm-settings.ts';

test('how npm installs and from where is passed on, and no token, address with one, folder or program', () => {
  const file = [
    'save-exact = true',
    'omit[]=dev',
    'init-author-name=Mai Ito',
    '; a comment',
    'registry = "https://registry.example:8443/npm/"',
    '@own:registry=https://registry.example/',
    '@a:registry=https://mai:secret@registry.example/',
    '@b:registry=https://registry.example/?token=secret',
    '@c:registry=https://${TOKEN}.example/',
    '@d:registry=file:///tmp/x',
    'proxy=http://mai:secret@proxy.example:3128/',
    'https-proxy=http://proxy.example:3128/',
    '//registry.example/:_authToken=secret',
    '_auth=c2VjcmV0',
    'script-shell=/tmp/sh',
    'prefix=/opt',
    'node-options=--require ./x.js',
    'save-prefix=${SECRET}',
    'tag=a/../b',
    'fund\t=\tfalse\r',
    'editor=./x',
    '__proto__=x',
  ].join('\n');
  expect(harmlessLines(file)).toEqual([
    'save-exact=true\n',
    'omit[]=dev\n',
    'init-author-name=Mai Ito\n',
    'registry=https://registry.example:8443/npm/\n',
    '@own:registry=https://registry.example/\n',
    'fund=false\n',
  ]);
});

test.each([
  ['its usual place', (home: string) => ({ HOME: home })],
  ['the place that a variable names', (home: string) => ({ npm_config_userconfig: join(home, '.npmrc') })],
])('the file is read at %s', (_, environmentOf) => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-npm-'));
  try {
    writeFileSync(join(folder, '.npmrc'), 'audit=false\n');
    expect(writeNpmSettings(folder, environmentOf(folder), '/etc')).toBe('/etc/npmrc');
    expect(readFileSync(join(folder, 'npmrc'), 'utf8')).toBe('audit=false\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('certificate authorities are passed on as a file, without what stands beside them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-npm-'));
  const block = (kind: string, word: string) => `-----BEGIN ${kind}-----\n${word}\n-----END ${kind}-----\n`;
  try {
    writeFileSync(join(folder, 'own.pem'), block('PRIVATE KEY', 'c2VjcmV0') + block('CERTIFICATE', 'b25l'));
    writeFileSync(
      join(folder, '.npmrc'),
      `cafile=${join(folder, 'own.pem')}\nca[]="${block('CERTIFICATE', 'dHdv').trim().replaceAll('\n', '\\n')}"\n`,
    );
    writeNpmSettings(folder, { HOME: folder }, '/etc');
    expect(readFileSync(join(folder, 'npmrc'), 'utf8')).toBe('cafile=/etc/npm-authorities.pem\n');
    expect(readFileSync(join(folder, 'npm-authorities.pem'), 'utf8')).toBe(
      block('CERTIFICATE', 'b25l') + block('CERTIFICATE', 'dHdv'),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('without such a file the settings are empty', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-npm-'));
  try {
    writeNpmSettings(folder, { HOME: folder }, folder);
    expect(readFileSync(join(folder, 'npmrc'), 'utf8')).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
