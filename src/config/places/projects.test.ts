import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigError } from '../../contract/error.ts';
import { placementOf, projectOf, UnnamedFolderError } from './projects.ts';

let home: string;
const at = (path: string) => join(home, path);
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: home });

beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'projects-')));
  for (const folder of ['code/app/src', 'code/lib', 'alone/deep', 'repo/packages/sub', 'sp ace/é'])
    mkdirSync(at(folder), { recursive: true });
  symlinkSync(at('code/app'), at('link'));
  git('init', '-q', at('repo'));
  git('-C', at('repo'), 'commit', '-q', '--allow-empty', '-m', 'one');
  git('-C', at('repo'), 'worktree', 'add', '-q', at('repo/.claude/worktrees/n'));
  git('-C', at('repo'), 'worktree', 'add', '-q', at('beside'));
  mkdirSync(at('liar'));
  // It names a worktree of the repository, which does not point back to it.
  writeFileSync(at('liar/.git'), `gitdir: ${at('repo/.git/worktrees/n')}\n`);
});
afterAll(() => rmSync(home, { recursive: true }));

const place = (folder: string, ...projects: string[]) => {
  const { root, project } = placementOf(projects, at(folder), home);
  return [root.slice(home.length + 1), project];
};

test.each([
  ['code/app', ['~/code/app'], 'code/app', '~/code/app'],
  ['code/app/src', ['~/code/app'], 'code/app', '~/code/app'],
  ['code/app/src', ['~/code/*'], 'code/app', '~/code/*'],
  ['code/app/src', ['~/code/*', '~/code/app'], 'code/app', '~/code/app'],
  ['code/app/src', ['~/code/app', '~/code/*'], 'code/app', '~/code/app'],
  ['code/app/src', ['~/code/app', '~/code/app/src'], 'code/app/src', '~/code/app/src'],
  ['code/lib', ['~/code/app'], 'code/lib', undefined],
  ['link', ['~/code/app'], 'code/app', '~/code/app'],
  ['code/app', ['~/link'], 'code/app', '~/link'],
  ['sp ace/é', ['~/sp ace/é'], 'sp ace/é', '~/sp ace/é'],
  ['alone/deep', [], 'alone/deep', undefined],
  ['repo/packages/sub', [], 'repo', undefined],
  ['repo/packages/sub', ['~/repo/packages/sub'], 'repo/packages/sub', '~/repo/packages/sub'],
])('from %s with the projects %j it serves %s with the settings of %s', (folder, projects, root, project) => {
  expect(place(folder, ...projects)).toEqual([root, project]);
});

test.each([
  ['repo/.claude/worktrees/n', 'inside the main working tree'],
  ['beside', 'beside it'],
])('a linked worktree at %s (%s) is a root of its own with the settings of its repository', (folder) => {
  expect(place(folder, '~/repo')).toEqual([folder, '~/repo']);
});

test('a .git file that names a repository which does not point back gets no project by it', () => {
  expect(place('liar', '~/repo')).toEqual(['liar', undefined]);
});

test.each(['/', '/usr', '/usr/lib', '/etc', '/tmp', '/home', '/proc/self'])(
  '%s is never served unless named',
  (folder) => {
    expect(() => placementOf(['~/code/*'], folder, home)).toThrow(UnnamedFolderError);
  },
);

test('a home is served only where it is named, also if git has its dotfiles', () => {
  expect(() => placementOf([], home, home)).toThrow(/Started in .*Name the folder with --root PATH/);
  expect(placementOf(['~'], home, home)).toMatchObject({ root: home, project: '~' });
  mkdirSync(at('dots/.git'), { recursive: true });
  mkdirSync(at('dots/work'));
  expect(placementOf([], at('dots/work'), at('dots')).root).toBe(at('dots/work'));
});

test.each(['code', './code', '~x/code', '/a/*/b', '*'])('the key %j is no project', (key) => {
  expect(() => projectOf([key], home, home)).toThrow(ConfigError);
});
