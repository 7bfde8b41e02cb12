import { text } from '../../../contract/text/text.ts';
import { hasSubcommand, operandsOf } from '../subcommands.ts';
import { mayBeOption } from '../words.ts';
import { installNeed, staysHere } from './install-needs.ts';
import { mayStayHere } from './needs.ts';
import type { CommandRule } from './rule.ts';

const verbs = [
  'install',
  'add',
  'remove',
  'rm',
  'uninstall',
  'upgrade',
  'update',
  'reinstall',
  'purge',
  'autoremove',
  'link',
  'unlink',
];

/** What each manager calls installing, removing and the like; those with letters for verbs come below. */
const managers: Readonly<Record<string, readonly string[]>> = {
  apt: [
    ...verbs,
    'full-upgrade',
    'dist-upgrade',
    'build-dep',
    'satisfy',
    'edit-sources',
    'clean',
    'autopurge',
    'autoclean',
  ],
  'apt-get': [
    ...verbs,
    'dist-upgrade',
    'build-dep',
    'dselect-upgrade',
    'clean',
    'autoclean',
    'source',
    'autopurge',
  ],
  aptitude: [...verbs, 'safe-upgrade', 'full-upgrade', 'hold', 'forget-new'],
  yum: [...verbs, 'localinstall', 'erase', 'downgrade', 'groupinstall', 'swap', 'distro-sync'],
  dnf: [
    ...verbs,
    'localinstall',
    'erase',
    'downgrade',
    'group',
    'groupinstall',
    'swap',
    'distro-sync',
    'in',
    'rm',
    'up',
  ],
  microdnf: verbs,
  tdnf: verbs,
  zypper: [
    ...verbs,
    'in',
    'rm',
    'up',
    'dup',
    'dist-upgrade',
    'patch',
    'install-new-recommends',
    'ar',
    'addrepo',
  ],
  apk: [...verbs, 'del', 'fix'],
  brew: [...verbs, 'cask', 'bundle', 'tap', 'untap', 'cleanup', 'reinstall', 'pin', 'services'],
  port: [...verbs, 'selfupdate', 'activate', 'deactivate'],
  snap: [...verbs, 'refresh', 'revert'],
  flatpak: verbs,
  npm: [
    ...verbs,
    'i',
    'in',
    'ins',
    'inst',
    'insta',
    'instal',
    'isnt',
    'isnta',
    'isntal',
    'isntall',
    'ci',
    'clean-install',
    'cit',
    'it',
    'install-test',
    'install-ci-test',
    'install-clean',
    'ic',
    'un',
    'r',
    'up',
    'udpate',
    'dedupe',
    'ddp',
    'prune',
    'rb',
    'rebuild',
    'publish',
    'unpublish',
    'deprecate',
    'adduser',
    'login',
    'ln',
    'unlink',
    'audit-fix',
  ],
  pnpm: [
    ...verbs,
    'i',
    'un',
    'up',
    'ln',
    'import',
    'prune',
    'publish',
    'self-update',
    'install-test',
    'it',
    'ci',
  ],
  yarn: [...verbs, 'up', 'upgrade-interactive', 'global', 'publish', 'dedupe', 'set'],
  bun: [...verbs, 'i', 'a', 'ci', 'publish', 'create'],
  pip: [...verbs, 'download', 'wheel'],
  pip3: [...verbs, 'download', 'wheel'],
  pipx: [...verbs, 'inject', 'install-all', 'upgrade-all', 'uninstall-all', 'ensurepath'],
  uv: [...verbs, 'pip', 'tool', 'sync', 'publish', 'self', 'python'],
  poetry: [...verbs, 'self', 'sync', 'publish'],
  pipenv: [...verbs, 'sync', 'clean'],
  pdm: [...verbs, 'sync', 'publish', 'self'],
  easy_install: [],
  cargo: [...verbs, 'publish', 'yank', 'login', 'owner', 'binstall'],
  rustup: [...verbs, 'default', 'self', 'toolchain', 'target', 'component'],
  gem: [...verbs, 'i', 'cleanup', 'push', 'yank'],
  bundle: [...verbs, 'clean'],
  go: ['install', 'get'],
  conda: [...verbs, 'create', 'env', 'clean'],
  mamba: [...verbs, 'create', 'env', 'clean'],
  composer: [...verbs, 'require', 'req', 'i', 'global', 'create-project', 'self-update', 'selfupdate'],
  dotnet: ['add', 'remove', 'tool', 'restore', 'workload'],
  nuget: [...verbs, 'restore', 'push'],
  choco: verbs,
  winget: verbs,
  scoop: verbs,
  opkg: verbs,
  xbps: verbs,
  guix: [...verbs, 'package', 'pull', 'gc'],
  nix: ['profile', 'upgrade-nix', 'store'],
  cabal: ['install', 'update'],
  stack: ['install', 'setup', 'upgrade'],
  opam: [...verbs, 'switch', 'pin'],
  luarocks: [...verbs, 'build'],
  cpan: [],
  cpanm: [],
  pecl: [...verbs],
  pear: [...verbs],
  mix: ['deps.get', 'deps.update', 'archive.install', 'local.hex'],
  pod: ['install', 'update', 'repo'],
  asdf: ['install', 'uninstall', 'plugin', 'plugin-add', 'update'],
  mise: ['install', 'i', 'uninstall', 'use', 'upgrade', 'up', 'plugin', 'plugins'],
  nvm: ['install', 'uninstall'],
  corepack: ['enable', 'disable', 'install', 'prepare', 'up', 'use'],
  volta: ['install', 'uninstall', 'pin'],
  micromamba: [...verbs, 'create', 'env', 'clean'],
  pixi: [...verbs, 'global'],
  rye: [...verbs, 'sync', 'publish', 'self'],
  deno: [...verbs, 'publish'],
  sdk: [...verbs, 'use', 'default', 'selfupdate', 'flush'],
  tlmgr: verbs,
  vcpkg: [...verbs, 'integrate'],
  conan: [...verbs, 'create', 'upload'],
  spack: [...verbs, 'load'],
  dart: ['pub'],
  flutter: ['pub', 'upgrade', 'downgrade'],
};

const letters: Readonly<Record<string, RegExp>> = {
  dpkg: /^(-i|-r|-P|-\w*[irP]\w*|--(install|remove|purge|unpack|configure|force.*))$/,
  rpm: /^(-\w*[iUFe]\w*|--(install|upgrade|erase|freshen|import|reinstall|rebuilddb))$/,
  pacman: /^(-\w*[SRU]\w*|--(sync|remove|upgrade))$/,
  yay: /^(-\w*[SRU]\w*|--(sync|remove|upgrade))$|^[^-]/,
  paru: /^(-\w*[SRU]\w*|--(sync|remove|upgrade))$|^[^-]/,
  'nix-env': /^(-\w*[ieu]\w*|--(install|uninstall|upgrade|set).*)$/,
  pkg: /^(install|delete|remove|upgrade|autoremove|add|update|-\w*[y]\w*)$/,
  pkg_add: /./,
  pkg_delete: /./,
  'xbps-install': /./,
  'xbps-remove': /./,
  emerge: /^[^-]|^-\w*[cCu]/,
  installer: /./,
  softwareupdate: /^(-i|--install|-ia)/,
  'apt-mark': /./,
  'add-apt-repository': /./,
  'update-alternatives': /^--(install|remove|set|config)/,
  msiexec: /./,
  code: /^--(un)?install-extension/,
  r: /^INSTALL$|^REMOVE$/,
};

/** Programs that are no package managers and send what others get; tasks may stand anywhere among their words. */
const publishers: Readonly<Record<string, RegExp>> = {
  twine: /^(upload|register)$/,
  flit: /^publish$/,
  hatch: /^publish$/,
  mvn: /(^|:)(deploy|deploy-file)$|^release:perform$/,
  mvnw: /(^|:)(deploy|deploy-file)$|^release:perform$/,
  gradle: /(^|:)(publish(?!ToMavenLocal\b)\w*|uploadArchives)$/,
  gradlew: /(^|:)(publish(?!ToMavenLocal\b)\w*|uploadArchives)$/,
  sbt: /(^|\s|\/)publish(Signed)?$/,
  lerna: /^publish$/,
  changeset: /^publish$/,
  vsce: /^(publish|unpublish)$/,
  ovsx: /^publish$/,
  'mcp-publisher': /^publish$/,
  aws: /^(rm|rb|(delete|terminate|destroy|remove|purge|deregister|stop|reboot|detach|revoke|disable)-[\w-]+)$/,
  gcloud: /^(delete|destroy|deploy|stop|reset)$/,
  az: /^(delete|purge|stop|deallocate)$/,
  heroku: /destroy$|^(ps:stop|releases:rollback|pg:reset)$/,
  fly: /^(destroy|deploy)$/,
  flyctl: /^(destroy|deploy)$/,
  netlify: /^deploy$/,
  firebase: /^deploy$/,
  wrangler: /^(deploy|delete|publish)$/,
  serverless: /^(deploy|remove)$/,
  cdk: /^(deploy|destroy)$/,
  sam: /^(deploy|delete)$/,
};

/** Package managers that install, remove or publish. */
export const packageRules: readonly CommandRule[] = [
  {
    id: 'publish',
    decision: 'ask',
    programs: Object.keys(publishers),
    because: text(
      'it publishes, deploys or deletes what others use',
      '他の人が使うものを公開、配置、または削除します',
    ),
    suggestion: text('A person must agree to it.', '人の同意が必要です。'),
    fits: ({ program, args }) => {
      if (args.some(({ value }) => value === '--help' || value === '--dry-run')) return false;
      const pattern = Object.hasOwn(publishers, program) ? publishers[program] : undefined;
      return operandsOf(args).some((word) =>
        word.value === undefined ? false : pattern?.test(word.value) === true,
      );
    },
    // What builds may publish to a folder.
    needs: ({ program, args }) =>
      /^(mvnw?|gradlew?|sbt|cdk|sam|serverless)$/.test(program) || mayStayHere(args)
        ? undefined
        : { kind: 'network' },
    match: [
      'twine upload dist/*',
      'mvn clean deploy',
      './gradlew build publishToMavenLocal publish',
      'npx lerna publish',
      'npx vsce publish',
      'aws s3 rm --recursive s3://b',
      'aws ec2 terminate-instances --instance-ids i',
      'npx wrangler deploy',
    ],
    notMatch: [
      'twine check dist/*',
      'mvn verify',
      './gradlew publishToMavenLocal',
      'npx lerna run build',
      'aws s3 ls',
      'gcloud config list',
      'netlify build',
      'twine --help',
    ],
  },
  {
    id: 'package-manager',
    decision: 'ask',
    programs: [...Object.keys(managers), ...Object.keys(letters)],
    because: text(
      'it installs, removes or publishes packages',
      'パッケージをインストール、削除、または公開します',
    ),
    suggestion: text('A person must agree to it.', '人の同意が必要です。'),
    needs: ({ program, args }) =>
      installNeed(program, args, Object.hasOwn(letters, program) || managers[program]?.length === 0),
    fits: ({ program, args }, scene) => {
      if (scene.walls && staysHere(program, args)) return false;
      const pattern = Object.hasOwn(letters, program) ? letters[program] : undefined;
      if (pattern) return args.some((word) => word.value === undefined || pattern.test(word.value));
      const names = (Object.hasOwn(managers, program) ? managers[program] : undefined) ?? [];
      if (names.length === 0)
        return !args.some((word) => /^(-V|-v|--version|--help|-h)$/.test(word.value ?? ''));
      if (program === 'npm' && args[0]?.value === 'audit') return args.some((word) => word.value === 'fix');
      // `yarn` and `pnpm install` with no words at all install.
      if (program === 'yarn' && operandsOf(args).length === 0)
        return !args.some((word) => /^(-v|--version|-h|--help)$/.test(word.value ?? ''));
      // `cargo +nightly …` names a toolchain before the subcommand.
      return hasSubcommand(
        args.filter((word) => !word.prefix.startsWith('+')),
        names,
      );
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
    ],
  },
  {
    id: 'package-module',
    decision: 'ask',
    programs: ['python', 'python2', 'python3', 'py', 'pypy3', 'ruby', 'perl'],
    because: text('it installs or publishes packages', 'パッケージをインストールまたは公開します'),
    suggestion: text('A person must agree to it.', '人の同意が必要です。'),
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
      if (module === 'ensurepip' || module === 'easy_install') return true;
      const rest = args.slice(at + 1);
      if (module === 'twine') return rest.some(({ value }) => value === 'upload');
      if (!/^(pip\d?|pipx|uv)$/.test(module ?? '')) return false;
      if (scene.walls && next?.value === 'pip' && staysHere('pip', rest.slice(1))) return false;
      return hasSubcommand(module === next?.value ? rest.slice(1) : rest, managers.pip ?? []);
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
