import { text } from '../../../../contract/text/text.ts';
import { mayBeOption } from '../../words/word.ts';
import type { CommandRule } from '../rule.ts';
import { installNeed, staysHere } from './install-needs.ts';
import { installsFromManifest } from './manifest-install.ts';
import { alwaysInstalls, changesPackages, packageManagers } from './package-managers.ts';
import { packageRunnerRule } from './package-runners.ts';

/** Package managers that install, remove or publish. */
export const packageRules: readonly CommandRule[] = [
  packageRunnerRule,
  {
    id: 'package-manager',
    decision: 'ask',
    programs: packageManagers,
    because: text(
      'it installs, removes or publishes packages',
      'パッケージをインストール、削除、または公開します',
    ),
    suggestion: text("It needs a person's approval.", '人の承認が必要です。'),
    needs: ({ program, args }) => installNeed(program, args, alwaysInstalls(program)),
    fits: ({ program, args }, scene) => {
      if (scene.confinement && staysHere(program, args)) return false;
      if (installsFromManifest(program, args, scene)) return false;
      return changesPackages(program, args);
    },
    match: [
      'apt install x',
      'apt-get -y install x',
      'apt-get -o a=b remove x',
      'npm i',
      'npm --prefix x install',
      'pip install x',
      'yarn',
      'pacman -Syu',
      'dpkg -i x.deb',
      'rpm -Uvh x',
      'brew install x',
      'cargo install x',
      'npm ci',
      'go install x@latest',
      'sudo apt update',
      'cargo +nightly install x',
      'yarn workspace web add x',
      'yarn workspaces foreach -A add x',
      'deno install x',
      'code --install-extension x',
      'R CMD INSTALL x',
      'npm uninst x',
      'npm publ',
      'npm install --no-dry-run --dry-run x',
      'npm install -- --dry-run',
      'uv pip install x',
      'yarn add --dry-run x',
      'npm cleanInstall',
      'npm installTest',
      'pip-3 install x',
      'gem3.1 install x',
      'bundler install',
    ],
    notMatch: [
      'npm test',
      'npm run install-hooks',
      'npm exec tsc',
      'apt list',
      'pip list',
      'cargo build',
      'go build ./...',
      'yarn test',
      'npm ls',
      'echo npm install',
      'pacman -Q',
      'dpkg -l',
      'brew list',
      'cargo +nightly fmt',
      'yarn workspace web build',
      'deno test',
      'code --diff a b',
      'npm install --dry-run x',
      'apt-get -s install x',
      'cargo publish --dry-run',
      'uv pip list',
      'cargo install --list',
      'rustup toolchain list',
      'pip install --help',
    ],
  },
  {
    id: 'package-module',
    decision: 'ask',
    programs: ['python', 'python2', 'python3', 'py', 'pypy3', 'ruby', 'perl'],
    because: text('it installs or publishes packages', 'パッケージをインストールまたは公開します'),
    suggestion: text("It needs a person's approval.", '人の承認が必要です。'),
    fits: ({ args }, scene) => {
      const at = args.findIndex(
        (word) =>
          /^-(MCPAN$|[A-Za-ln-z]*m)/.test(word.prefix) || (mayBeOption(word) && word.prefix.length < 2),
      );
      const [option, next] = [args[at], args[at + 1]];
      if (!option) return false;
      if (option.value === '-MCPAN') return true;
      const attached = /^-[A-Za-ln-z]*m(.+)$/.exec(option.prefix)?.[1];
      const module = attached ?? next?.value;
      const rest = args.slice(at + 1);
      if (module === 'ensurepip' || module === 'easy_install')
        return !rest.some(({ value }) => value === '--version');
      if (module === 'twine') return rest.some(({ value }) => value === 'upload');
      if (!/^(pip\d?|pipx|uv)$/.test(module ?? '')) return false;
      if (next?.value === 'pip') {
        const words = rest.slice(1);
        if (scene.confinement && staysHere('pip', words)) return false;
        if (installsFromManifest('pip', words, scene)) return false;
      }
      return changesPackages('pip', module === next?.value ? rest.slice(1) : rest);
    },
    // `-m pip` in so many words; other spellings are asked about.
    needs: ({ args }) => {
      const at = args.findIndex(({ value }) => value === 'pip');
      return args[at - 1]?.value === '-m' ? installNeed('pip', args.slice(at + 1), false) : undefined;
    },
    match: [
      'python3 -m pip install x',
      'python -m pip --user install x',
      'python -mpip install x',
      'python3 -Im pip install x',
      'python3 -m twine upload x',
    ],
    notMatch: ['python3 -m pip list', 'python3 -m http.server', 'python -m pytest', 'python setup.py build'],
  },
];
