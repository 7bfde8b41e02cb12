import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { needs, programs, sandbox } from '../../support/needs.ts';
import { createPerson } from './person.ts';

/** A program of this machine, as one that was installed in another place. */
function install(program: string, place: string): void {
  mkdirSync(dirname(place), { recursive: true });
  try {
    linkSync(realpathSync(program), place);
  } catch {
    copyFileSync(realpathSync(program), place);
  }
  chmodSync(place, 0o755);
}

describe.each(['bubblewrap', 'landlock'] as const)('%s', (name) => {
  test('commands run below a file that chooses versions, and read it', needs(sandbox(name)), async () => {
    const person = createPerson({ 'home/.nvmrc': '24\n', 'home/.tool-versions': 'nodejs 24\n' });
    const commands = person.open(name, {}, { readOnlyNames: ['own/settings'] });
    person.put('home/project/own', 'a file where a folder of this name would be guarded');
    expect((await commands.run('cat ../.nvmrc ../.tool-versions own')).out).toBe(
      '24\nnodejs 24\na file where a folder of this name would be guarded',
    );
    await commands.close();
    person.remove();
  });

  test(
    'a shim of pyenv runs the version that its files choose, and a virtual environment its base',
    needs(sandbox(name), programs('python3')),
    async () => {
      const person = createPerson({
        'home/.pyenv/version': '3.99.1\n',
        // As pyenv lays it out: the shim calls its program, which reads the file and runs what is chosen.
        'home/.pyenv/bin/pyenv': { link: '../libexec/pyenv' },
        'home/.pyenv/libexec/pyenv': `#!/usr/bin/env bash
          version=$PYENV_VERSION
          for f in "$PWD/.python-version" "$PYENV_ROOT/version"; do [ -n "$version" ] || { [ -e "$f" ] && read -r version < "$f"; }; done
          [ ! -x "$PYENV_ROOT/pyenv.d/exec/pip-rehash/pip" ] || exit 1
          exec "$PYENV_ROOT/versions/$version/bin/$2" "\${@:3}"\n`,
      });
      const { home, project } = person;
      person.put(
        'home/.pyenv/shims/python3',
        `#!/usr/bin/env bash\nset -e\nexport PYENV_ROOT="${home}/.pyenv"\nexec "${home}/.pyenv/libexec/pyenv" exec "\${0##*/}" "$@"\n`,
      );
      // After pip, pyenv would write shims, and end with 1 where it may not. Landlock hides no file.
      const rehash = join(home, '.pyenv/pyenv.d/exec/pip-rehash/pip');
      if (name === 'bubblewrap') install('/bin/false', rehash);
      const base = join(home, '.pyenv/versions/3.99.1/bin/python3');
      install('/usr/bin/python3', base);
      execFileSync(base, ['-m', 'venv', '--without-pip', join(project, '.venv')], { stdio: 'ignore' });
      const commands = person.open(name, { PATH: `${home}/.pyenv/shims:${home}/.pyenv/bin:/usr/bin:/bin` });
      const executable = `-c 'import sys; print(sys.executable, sys.prefix)'`;
      expect((await commands.run(`python3 ${executable} | cut -d' ' -f1`)).out).toBe(`${base}\n`);
      expect((await commands.run(`.venv/bin/python3 ${executable}`)).out).toBe(
        `${project}/.venv/bin/python3 ${project}/.venv\n`,
      );
      // Without a way there, this ended in another interpreter and exit code 0.
      expect((await commands.run('PYENV_VERSION=3.98 python3 -c 0')).exitCode).not.toBe(0);
      await commands.close();
      person.remove();
    },
  );

  test('Node of nvm, with what links in its bin lead to', needs(sandbox(name)), async () => {
    const person = createPerson({
      'home/.nvm/alias/default': 'v24.0.0',
      'home/.nvm/nvm.sh': 'nvm() { echo "default is $(cat "$NVM_DIR/alias/default")"; }\n',
      'home/.nvm/versions/node/v24.0.0/bin/hello': { link: '../lib/node_modules/hello/cli.js' },
      'home/.nvm/versions/node/v24.0.0/lib/node_modules/hello/cli.js':
        '#!/usr/bin/env node\nconsole.log(require("./words.js"), process.execPath);\n',
      'home/.nvm/versions/node/v24.0.0/lib/node_modules/hello/words.js': 'module.exports = "hello";',
      'home/.nvm/versions/node/v24.0.0/etc/npmrc': '//registry.example.com/:_authToken=canary',
    });
    const bin = join(person.home, '.nvm/versions/node/v24.0.0/bin');
    install(process.execPath, join(bin, 'node'));
    const commands = person.open(name, { PATH: `${bin}:/usr/bin:/bin` });
    expect((await commands.run('hello')).out).toBe(`hello ${bin}/node\n`);
    expect((await commands.run('. "$NVM_DIR/nvm.sh"; nvm')).out).toBe('default is v24.0.0\n');
    expect((await commands.run(`cat ${bin}/../etc/npmrc`)).out).not.toContain('canary');
    await commands.close();
    person.remove();
  });

  test(
    'names of links are kept: a home folder elsewhere, and a folder that is made for each shell',
    needs(sandbox(name)),
    async () => {
      const person = createPerson({
        'disk/me/.local/share/fnm/node-versions/v24/installation/bin/tool': '#!/bin/sh\necho tool of "$0"\n',
        'disk/me/project/x': '',
        'run/me': { link: '../disk/me' },
        'run/shells/1_2': { link: '../me/.local/share/fnm/node-versions/v24/installation' },
      });
      const named = join(person.base, 'run/me');
      const commands = person.open(
        name,
        { HOME: named, PATH: `${person.base}/run/shells/1_2/bin:/usr/bin:/bin` },
        { roots: [{ hostPath: join(named, 'project'), writable: true }] },
      );
      const { out } = await commands.run(
        `tool; ${named}/.local/share/fnm/node-versions/v24/installation/bin/tool`,
        join(person.base, 'disk/me/project'),
      );
      expect(out).toBe(
        `tool of ${person.base}/run/shells/1_2/bin/tool\ntool of ${named}/.local/share/fnm/node-versions/v24/installation/bin/tool\n`,
      );
      await commands.close();
      person.remove();
    },
  );

  test(
    'a link in what the operator lists, or above it, keeps no command from starting',
    needs(sandbox(name)),
    async () => {
      const person = createPerson({
        'home/listed/tools': { link: '../../opt/tools' },
        'opt/tools/bin/tool': '#!/bin/sh\necho tool\n',
        named: { link: 'home' },
      });
      const path = `${person.home}/listed/tools/bin:${person.base}/named/listed/tools/bin:/usr/bin:/bin`;
      for (const readable of [join(person.home, 'listed'), join(person.base, 'named/listed')]) {
        const commands = person.open(name, { PATH: path }, { readable: [readable] });
        expect((await commands.run('tool')).out).toBe('tool\n');
        await commands.close();
      }
      person.remove();
    },
  );

  test(
    'the files that name the system are read, without which pip starts nothing',
    needs(sandbox(name)),
    async () => {
      const files = ['debian_version', 'lsb-release', 'redhat-release', 'alpine-release', 'os-release']
        .map((file) => `/etc/${file}`)
        .filter((file) => existsSync(file));
      const person = createPerson();
      const commands = person.open(name, {});
      expect((await commands.run(`cat ${files.join(' ')}`)).out).toBe(
        files.map((file) => readFileSync(file, 'utf8')).join(''),
      );
      await commands.close();
      person.remove();
    },
  );

  test('variables that choose a version are passed; no other is', needs(sandbox(name)), async () => {
    const person = createPerson({ 'home/.rustup/toolchains/x/bin/cargo': '', 'home/.cargo/bin/cargo': '' });
    const commands = person.open(name, {
      RUSTUP_TOOLCHAIN: 'nightly',
      PYENV_VERSION: '3.12',
      PYTHONDONTWRITEBYTECODE: '1',
      GOTOOLCHAIN: 'https://me:password@example.com',
      CARGO_REGISTRY_TOKEN: 'secret',
      CARGO_HOME: join(person.home, '.cargo'),
    });
    const { stdout } = await commands.run('env | grep -E "^(RUST|PY|GO|CARGO_[^N])" | sort');
    expect(stdout).toBe(
      `PYENV_VERSION=3.12\nPYTHONDONTWRITEBYTECODE=1\nPYTHONUNBUFFERED=1\nRUSTUP_HOME=${person.home}/.rustup\nRUSTUP_TOOLCHAIN=nightly\n`,
    );
    await commands.close();
    person.remove();
  });
});
