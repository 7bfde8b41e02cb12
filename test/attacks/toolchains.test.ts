import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createPerson } from '../command/toolchains/person.ts';
import { needs, sandbox } from '../support/needs.ts';

const home = {
  'home/.cargo/bin/cargo': '#!/bin/sh\necho cargo\n',
  'home/.cargo/credentials.toml': 'canary',
  'home/.cargo/config.toml': 'canary',
  'home/.pyenv/versions/3.12/bin/python': '#!/bin/sh\necho python\n',
  'home/.pyenv/versions/3.12/pip.conf': 'canary',
  'home/.pyenv/.git/config': 'canary',
  'home/.pyenv/plugins/own/.git/config': 'canary',
  'home/.dotnet/dotnet': '',
  'home/.dotnet/corefx/cryptography/x509stores/my/key.pfx': 'canary',
  'home/.nvm/versions/node/v24/bin/node': '#!/bin/sh\necho node\n',
  'home/.nvm/versions/node/v24/etc/npmrc': 'canary',
  'home/.nvm/.npmrc': 'canary',
  'home/miniconda3/conda-meta/history': '',
  'home/miniconda3/.condarc': 'canary',
  'home/miniconda3/envs/a/.condarc': 'canary',
  'home/.local/share/uv/tools/.lock': '',
  'home/.local/share/uv/credentials/credentials.toml': 'canary',
  'home/.local/bin/mine': '#!/bin/sh\necho mine\n',
  ...Object.fromEntries(
    [
      ...[
        '.npmrc',
        '.netrc',
        '.pypirc',
        '.bunfig.toml',
        '.yarnrc.yml',
        '.aws/credentials',
        '.ssh/id_ed25519',
      ],
      ...['.docker/config.json', '.config/gh/hosts.yml', '.m2/settings.xml', '.gradle/gradle.properties'],
      ...['.config/pip/pip.conf', '.bashrc', '.config/go/env', '.gem/credentials'],
    ].map((name) => [`home/${name}`, 'canary']),
  ),
};
const programs = ['.cargo/bin', '.pyenv/versions/3.12/bin', '.nvm/versions/node/v24/bin', '.local/bin'];

const pathOf = (person: { readonly home: string }) =>
  [...programs.map((folder) => join(person.home, folder)), '/usr/bin', '/bin'].join(':');

describe.each(['bubblewrap', 'landlock'] as const)('%s', (name) => {
  test(
    'every program runs, no credential beside one is read, nothing of them is changed',
    needs(sandbox(name)),
    async () => {
      const person = createPerson(home);
      const commands = person.open(name, { PATH: pathOf(person) });
      expect((await commands.run('cargo; python; node; mine')).stdout).toBe('cargo\npython\nnode\nmine\n');
      const { stdout } = await commands.run(
        `cat ${Object.keys(home)
          .map((path) => join(person.base, path))
          .join(
            ' ',
          )} | grep canary; grep -r canary ${person.home} 2>/dev/null; find ${person.home} -name credentials.toml -o -name pip.conf -size +0`,
      );
      expect(stdout).not.toContain('canary');
      const tried = programs.flatMap((folder) => {
        const path = join(person.home, folder);
        return [
          `echo planted > ${path}/new`,
          `for f in ${path}/*; do echo planted >> $f; rm -f $f; chmod 777 $f; mv $f $f.x; ln -s /bin/sh $f; done`,
          `mv ${path} ${path}.aside; rm -rf ${path}; mkdir -p ${path}/made`,
        ];
      });
      await commands.run(tried.join('\n'));
      for (const [path, content] of Object.entries(home)) {
        expect(readFileSync(join(person.base, path), 'utf8')).toBe(content);
      }
      await commands.close();
      person.remove();
    },
  );

  test('a credential that is written later is not seen either', needs(sandbox(name)), async () => {
    const person = createPerson(home);
    rmSync(join(person.home, '.nvm/versions/node/v24/etc'), { recursive: true });
    rmSync(join(person.home, '.pyenv/versions/3.12/pip.conf'));
    const commands = person.open(name, { PATH: pathOf(person) });
    await commands.run('true');
    person.put('home/.nvm/versions/node/v24/etc/npmrc', 'canary');
    person.put('home/.pyenv/versions/3.12/pip.conf', 'canary');
    expect((await commands.run(`grep -r canary ${person.home}`)).stdout).toBe('');
    await commands.close();
    person.remove();
  });

  test(
    'a toolchain whose place another folder takes is not shown any more',
    needs(sandbox(name)),
    async () => {
      const person = createPerson(home);
      const commands = person.open(name, { PATH: pathOf(person) });
      await commands.run('true');
      renameSync(join(person.home, '.nvm'), join(person.home, '.nvm.old'));
      symlinkSync('.ssh', join(person.home, '.nvm'));
      renameSync(join(person.home, '.local/bin'), join(person.home, '.local/bin.old'));
      mkdirSync(join(person.home, '.local/bin'));
      writeFileSync(join(person.home, '.local/bin/stolen'), 'canary');
      const { stdout } = await commands.run(
        `cat ${person.home}/.nvm/* ${person.home}/.local/bin/stolen ${person.home}/.ssh/*; cargo`,
      );
      expect(stdout).toBe('cargo\n');
      await commands.close();
      person.remove();
    },
  );

  test(
    'what a command leaves in the project shows the next server nothing',
    needs(sandbox(name)),
    async () => {
      const person = createPerson(home);
      const path = `${person.project}/node_modules/.bin:${person.project}/.venv/bin:${pathOf(person)}`;
      const variables = {
        PATH: path,
        VIRTUAL_ENV: join(person.project, '.venv'),
        PYENV_ROOT: join(person.project, 'p'),
      };
      const first = person.open(name, variables);
      await first.run(`mkdir -p node_modules .venv p
      ln -s ${person.home}/.ssh node_modules/.bin; ln -s ${person.home}/.aws .venv/bin; ln -s ${person.home}/.ssh .venv/lib
      echo 'home = ${person.home}/.ssh' > .venv/pyvenv.cfg; ln -s ${person.home}/.aws p/versions
      printf '3.12' > .python-version; ln -s ${person.home}/.ssh/id_ed25519 .tool-versions`);
      await first.close();
      const second = person.open(name, variables);
      const { stdout } = await second.run(
        'cat node_modules/.bin/* .venv/bin/* .venv/lib/* p/versions/* .tool-versions; cargo',
      );
      expect(stdout).toBe('cargo\n');
      await second.close();
      person.remove();
    },
  );
});

describe('a root that holds the home folder', needs(sandbox('bubblewrap')), () => {
  test('what the person runs next stays as it is, and so do the folders above it', async () => {
    const person = createPerson(home);
    const commands = person.open(
      'bubblewrap',
      { PATH: pathOf(person) },
      { roots: [{ hostPath: person.home, writable: true }] },
    );
    const planted = `for d in .cargo .pyenv .nvm; do mv $d $d.aside; rmdir $d; ln -s .ssh $d; done
      echo planted > .cargo/bin/cargo; echo planted > .pyenv/versions/3.12/bin/python; mkdir .nvm/versions/node/v25
      perl -e 'rename ".local/share", ".aside"'; ln -s /etc .local/share; echo planted > .local/bin/mine; perl -e 'rename ".local", ".aside"'; echo fine > project/note`;
    await commands.run(planted, person.home);
    await commands.run(planted, person.home);
    for (const [path, content] of Object.entries(home)) {
      expect(readFileSync(join(person.base, path), 'utf8')).toBe(content);
    }
    expect(readFileSync(join(person.project, 'note'), 'utf8')).toBe('fine\n');
    expect((await commands.run('cargo', person.home)).stdout).toBe('cargo\n');
    await commands.close();
    person.remove();
  }, 60_000);
});
