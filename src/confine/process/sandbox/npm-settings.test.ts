import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { harmlessLines, writeNpmSettings } from './npm-settings.ts';

test('how npm installs is passed on, and no token, address, folder or program', () => {
  const file = [
    'save-exact = true',
    'omit[]=dev',
    'init-author-name=Mai Ito',
    '; a comment',
    'registry=https://registry.example/',
    '@own:registry=https://registry.example/',
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

test('without such a file the settings are empty', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-npm-'));
  try {
    writeNpmSettings(folder, { HOME: folder }, folder);
    expect(readFileSync(join(folder, 'npmrc'), 'utf8')).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
