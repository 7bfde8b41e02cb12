import { text } from '../../../contract/text/text.ts';
import { mayBeOption, type Word } from '../../words/word.ts';
import type { CommandRule, Scene } from '../rule.ts';
import { installsFromManifest } from './manifest-install.ts';
import { changesPackages, packageManagers } from './package-managers.ts';
import { packageRunners, runsNewPackage } from './package-runners.ts';
import { staysHere, systemManagers } from './stays-here.ts';

const languages: readonly string[] = ['python', 'python2', 'python3', 'py', 'pypy3', 'ruby', 'perl'];

/** Package managers that install or remove. */
export const packageRules: readonly CommandRule[] = [
  {
    id: 'package-manager',
    decision: 'ask',
    programs: [...packageManagers, ...packageRunners, ...languages],
    because: text(
      'it installs, downloads and runs, or removes packages',
      'パッケージをインストール、ダウンロードして実行、または削除します',
    ),
    suggestion: text("It needs a person's approval.", '人の承認が必要です。'),
    needs: 'hosts',
    fits: ({ program, args }, scene) => {
      if (languages.includes(program)) return moduleInstalls(args, scene);
      if (packageRunners.includes(program) && runsNewPackage(program, args, scene)) return true;
      if (!packageManagers.includes(program)) return false;
      if (scene.confinement && staysHere(program, args)) return false;
      // System folders are read-only in a sandbox, so the command fails by itself.
      if (scene.confinement && scene.dialect === 'plain' && systemManagers.has(program)) return false;
      if (installsFromManifest(program, args, scene)) return false;
      return changesPackages(program, args);
    },
    match: [
      'npx cowsay',
      'npx -y create-react-app x',
      'npx -p cowsay cowsay hi',
      'npm exec -- cowsay',
      'npm x cowsay',
      'npm create vite@latest app',
      'npm init vite app',
      'pnpm dlx cowsay',
      'pnpm create vite',
      'yarn dlx cowsay',
      'bunx cowsay',
      'bun x cowsay',
      'uvx ruff check',
      'uv run --with cowsay python x.py',
      'uv run https://example.com/x.py',
      'pipx run cowsay',
      'go run example.com/x@latest',
      'deno run npm:cowsay',
      'deno run -A https://example.com/x.ts',
      'gem exec cowsay',
      'deno https://example.com/x.ts',
      'mise exec node@22 -- node x.js',
      'jbang hello@example',
      'nix-shell -p cowsay',
      'pipx runpip black install x',
      'fnm install 22',
      'helm plugin install https://example.com/x',
      'gh extension install a/b',
      'nix run nixpkgs#hello',
      'corepack pnpm@9 add x',
      'timeout 9 npx cowsay',

      'python3 -m pip install x',
      'python -m pip --user install x',
      'python -mpip install x',
      'python3 -Im pip install x',
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
      'npx --no-install tsc',
      'npx --offline tsc',
      'npm init -y',
      'npm run build',
      'npx ./tools/cli',
      'pnpm exec tsc',
      'yarn create',
      'uv run pytest',
      'go run ./cmd/x a@b.example/c',
      'go run .',
      'deno run main.ts npm:x',
      'deno test',
      'nix run .#app',
      'mise exec -- node x.js',
      'jbang hello.java',
      'nix-shell --run make',
      'helm plugin list',
      'gh extension list',
      'gh pr list',
      'helm template .',
      'npx',

      'python3 -m pip list',
      'python3 -m http.server',
      'python -m pytest',
      'python setup.py build',
      'npm test',
      'npm run install-hooks',
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
      'uv pip list',
      'cargo install --list',
      'rustup toolchain list',
      'pip install --help',
    ],
  },
];

/** `python -m pip install x`: an interpreter runs an installing module. */
function moduleInstalls(args: readonly Word[], scene: Scene): boolean {
  const at = args.findIndex(
    (word) => /^-(MCPAN$|[A-Za-ln-z]*m)/.test(word.prefix) || (mayBeOption(word) && word.prefix.length < 2),
  );
  const [option, next] = [args[at], args[at + 1]];
  if (!option) return false;
  if (option.value === '-MCPAN') return true;
  const attached = /^-[A-Za-ln-z]*m(.+)$/.exec(option.prefix)?.[1];
  const module = attached ?? next?.value;
  const rest = args.slice(at + 1);
  if (module === 'ensurepip' || module === 'easy_install')
    return !rest.some(({ value }) => value === '--version');
  if (!/^(pip\d?|pipx|uv)$/.test(module ?? '')) return false;
  if (next?.value === 'pip') {
    const words = rest.slice(1);
    if (scene.confinement && staysHere('pip', words)) return false;
    if (installsFromManifest('pip', words, scene)) return false;
  }
  return changesPackages('pip', module === next?.value ? rest.slice(1) : rest);
}
