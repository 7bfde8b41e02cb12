import { chmodSync, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { findToolchains } from '../../../src/command/toolchains/find.ts';
import { secretsIn } from '../../../src/command/toolchains/secrets.ts';
import { createPerson } from './person.ts';

let person: ReturnType<typeof createPerson>;
afterEach(() => person.remove());

/** Folders and reasons by names below the person's base folder. */
function find(variables: Record<string, string>, own: readonly string[] = []) {
  const { base, home, project } = person;
  const inBase = (words: string) => words.replaceAll('$', base);
  const environment = {
    HOME: home,
    ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, inBase(value)])),
  };
  const found = findToolchains({ environment, roots: [project], own: own.map(inBase) });
  return {
    ...found,
    shown: found.folders.map(({ real }) => relative(base, real)).sort(),
    reasons: Object.fromEntries(
      found.leftOut.map(({ path, because }) => [path.replace(base, '$'), because.en]),
    ),
    searched: found.path.filter((folder) => folder.startsWith(base)).map((folder) => relative(base, folder)),
  };
}

test('homes of version managers are found where they usually are, and by their variables', () => {
  person = createPerson({
    'home/.pyenv/versions/3.12/bin/python': '',
    'home/.nvm/versions/node/v24/bin/node': '',
    'home/.rustup/toolchains/stable/bin/cargo': '',
    'home/.cargo/bin/cargo': '',
    'home/.cargo/credentials.toml': 'token',
    'home/.local/share/uv/python/.lock': '',
    'home/.local/share/uv/credentials/credentials.toml': 'token',
    'home/go/bin/gopls': '',
    'home/go/src/private/main.go': '',
    'elsewhere/sdk/candidates/java/current/bin/java': '',
  });
  const { shown, variables, found } = find({ SDKMAN_DIR: '$/elsewhere/sdk' });
  expect(shown).toEqual([
    'elsewhere/sdk',
    'home/.cargo/bin',
    'home/.local/share/uv/python',
    'home/.nvm',
    'home/.pyenv',
    'home/.rustup',
    'home/go/bin',
  ]);
  expect(found.map(({ name }) => name)).toEqual([
    ...['pyenv', 'nvm', 'rustup', 'cargo', 'go programs', 'sdkman', 'uv pythons'],
  ]);
  expect(Object.keys(variables).sort()).toEqual([
    ...['NVM_DIR', 'PYENV_ROOT', 'RUSTUP_HOME', 'SDKMAN_DIR', 'UV_PYTHON_INSTALL_DIR'],
  ]);
});

test('what a variable names must be such a toolchain: it shows no other folder', () => {
  person = createPerson({
    'home/.ssh/id': 'key',
    'home/papers/notes': 'private',
    'home/documents/bin/x': '',
  });
  const { shown, variables } = find({
    PYENV_ROOT: '$/home/.ssh',
    JAVA_HOME: '$/home/papers',
    VIRTUAL_ENV: '$/home/documents',
    GOROOT: '$/home',
    NVM_DIR: '/',
    UV_TOOL_DIR: '$/home/papers',
  });
  expect(shown).toEqual([]);
  expect(variables).toEqual({});
});

test('a folder of PATH is shown with the libraries beside it, and its home is not', () => {
  person = createPerson({
    'opt/tool/bin/tool': '',
    'opt/tool/lib/tool.js': '',
    'opt/tool/notes': '',
    'home/bin/mine': '',
    'home/lib/private': '',
  });
  const { shown, searched } = find({ PATH: '$/opt/tool/bin:$/home/bin' });
  expect(shown).toEqual(['home/bin', 'opt/tool/bin', 'opt/tool/lib']);
  expect(searched).toEqual(['opt/tool/bin', 'home/bin']);
});

test('what links in PATH lead to is shown with what it needs, and nothing beside', () => {
  person = createPerson({
    'home/.local/bin/tsc': { link: '../../apps/node_modules/typescript/bin/tsc' },
    'home/apps/node_modules/typescript/bin/tsc': '#!/usr/bin/env node',
    'home/apps/.env': 'secret',
    'home/.local/bin/black': { link: '../../venvs/black/bin/black' },
    'home/venvs/black/bin/black': `#!/usr/bin/python3`,
    'home/venvs/black/bin/python': { link: '../../../pythons/3.12/bin/python' },
    'home/venvs/black/pyvenv.cfg': '',
    'home/pythons/3.12/bin/python': '',
    'home/pythons/3.12/lib/os.py': '',
    'home/.local/bin/alone': { link: '../../scripts/alone.sh' },
    'home/scripts/alone.sh': '',
    'home/scripts/passwords': '',
    'home/.local/bin/gone': { link: '../../nowhere' },
  });
  expect(find({ PATH: '$/home/.local/bin' }).shown).toEqual([
    'home/.local/bin',
    'home/apps/node_modules',
    'home/pythons/3.12/bin',
    'home/pythons/3.12/lib',
    'home/scripts/alone.sh',
    'home/venvs/black',
  ]);
});

test('of one that holds more than programs, the parts are shown, and what in them may hold credentials is not', () => {
  person = createPerson({
    'home/.local/share/mise/installs/node/24/etc/npmrc': 'token',
    'home/.local/share/mise/installs/node/24/bin/node': '',
    'home/.local/share/mise/shims/node': '',
    'home/.cargo/bin/cargo': '',
    'home/.cargo/config.toml': 'token',
  });
  const { shown, folders, reasons } = find({});
  expect(shown).toEqual([
    'home/.cargo/bin',
    'home/.local/share/mise/installs',
    'home/.local/share/mise/shims',
  ]);
  expect(folders.flatMap(secretsIn).map((path) => relative(person.base, path))).toEqual([
    'home/.local/share/mise/installs/node/24/etc/npmrc',
  ]);
  expect(reasons).toEqual({
    '$/home/.local/share/mise/installs/node/24/etc/npmrc': 'it may contain credentials',
    '$/home/.cargo/config.toml': 'it may contain credentials',
  });
});

test('what the operator lists is neither left out nor shown twice', () => {
  person = createPerson({ 'open/bin/x': '', 'home/.pyenv/versions/3/bin/python': '' });
  chmodSync(join(person.base, 'open'), 0o777);
  const { base, home, project } = person;
  const environment = { HOME: home, PATH: `${base}/open/bin` };
  const found = findToolchains({
    environment,
    roots: [project],
    readable: [`${base}/open`, `${home}/.pyenv`],
  });
  expect([found.folders, found.leftOut, found.path[0], found.variables]).toEqual([
    [],
    [],
    `${base}/open/bin`,
    { PYENV_ROOT: `${home}/.pyenv` },
  ]);
});

test('the interpreter that a script in PATH names is shown', () => {
  person = createPerson({ 'home/venv/bin/python': '', 'home/venv/pyvenv.cfg': '' });
  person.put('home/.local/bin/mine', `#!${person.home}/venv/bin/python\n`);
  expect(find({ PATH: '$/home/.local/bin' }).shown).toEqual(['home/.local/bin', 'home/venv']);
});

test('the file that chooses versions above a root is shown, none of another name', () => {
  person = createPerson({
    'home/.tool-versions': 'nodejs 24',
    'home/.npmrc': 'token',
    'home/mise.toml': 'secret',
  });
  expect(find({}).shown).toEqual(['home/.tool-versions']);
});

test('who holds more than programs is left out of PATH, with the reason', () => {
  person = createPerson({
    'home/.aws/credentials': 'key',
    'home/state/sekisho.db': '',
    'open/bin/x': '',
    'home/project/link': { link: '../.aws' },
  });
  mkdirSync(join(person.base, 'open/bin'), { recursive: true });
  chmodSync(join(person.base, 'open'), 0o777);
  const { shown, reasons, searched } = find(
    {
      PATH: '.::bin:$/home:/:$/home/.aws:$/home/state:$/open/bin:/etc:/tmp:/proc/self:$/gone:$/home/project/link:$',
    },
    ['$/home/state'],
  );
  expect(shown).toEqual([]);
  expect(searched).toEqual([]);
  expect(reasons).toEqual({
    '.': 'it is a relative path',
    '': 'an empty entry of PATH is the folder where a command runs',
    bin: 'it is a relative path',
    '/': 'it contains more than programs',
    '$/home': 'it contains more than programs',
    $: 'it contains more than programs',
    '$/home/.aws': 'it contains more than programs',
    '$/home/state': 'it contains files of this server',
    '$/open/bin': 'everybody can change it',
    '/etc': 'it is not a place for programs',
    '/tmp': 'everybody can change it',
    '/proc/self': 'it is not a place for programs',
    '$/home/project/link': 'a link inside a root leads there',
  });
});

test('a folder of the project stays in PATH as it is, also one that is not there yet', () => {
  person = createPerson({ 'home/project/node_modules/.bin/tsc': '' });
  const { shown, searched, leftOut } = find({
    PATH: '$/home/project/node_modules/.bin:$/home/project/.venv/bin',
    VIRTUAL_ENV: '$/home/project/.venv',
  });
  expect({ shown, searched, leftOut }).toEqual({
    shown: [],
    searched: ['home/project/node_modules/.bin', 'home/project/.venv/bin'],
    leftOut: [],
  });
});

test('no link in a folder where everybody may put one is followed', () => {
  person = createPerson({
    'go/bin/planted': { link: '../../home/secret.txt' },
    'go/bin/tool': '',
    'home/secret.txt': 'private',
  });
  chmodSync(join(person.base, 'go/bin'), 0o1777);
  expect(find({ PATH: '$/go/bin' }).shown).toEqual(['go/bin']);
});

test('hundreds of entries and links are bounded, and what is too much is named', () => {
  person = createPerson();
  const entries = Array.from({ length: 400 }, (_, index) => `tools/${index}`);
  for (const entry of entries) mkdirSync(join(person.base, entry), { recursive: true });
  const { folders, leftOut } = find({ PATH: entries.map((entry) => `$/${entry}`).join(':') });
  expect(folders.length).toBeLessThanOrEqual(48);
  expect(folders.length + leftOut.length).toBe(400);
});

test('whatever links a project holds, nothing outside of it is shown by them', () => {
  const names = ['a', 'b', '.venv', 'bin', 'lib', 'pyvenv.cfg'];
  const links = fc.dictionary(
    fc.constantFrom(...names),
    fc.constantFrom('..', '../secrets', '/', '../.ssh', 'a', 'b', '../project/a', '../../home/secrets'),
  );
  fc.assert(
    fc.property(links, fc.shuffledSubarray(names), (made, path) => {
      person = createPerson({ 'home/secrets/bin/x': '', 'home/.ssh/id': '' });
      try {
        for (const [name, link] of Object.entries(made)) person.put(`home/project/${name}`, { link });
        const { shown } = find({
          PATH: path.flatMap((name) => [`$/home/project/${name}`, `$/home/project/${name}/bin`]).join(':'),
          VIRTUAL_ENV: '$/home/project/a',
          PYENV_ROOT: '$/home/project/b',
          JAVA_HOME: '$/home/project/.venv',
        });
        expect(shown).toEqual([]);
      } finally {
        person.remove();
      }
    }),
    { numRuns: 60 },
  );
});
