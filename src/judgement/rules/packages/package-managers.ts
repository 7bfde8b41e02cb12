import { hasWord, operandsOf, subcommandsOf } from '../../words/subcommands.ts';
import type { Word } from '../../words/word.ts';

/** Does this line of a package manager install, remove or publish, or may it? */
export function changesPackages(program: string, args: readonly Word[]): boolean {
  if (tells.test(args[0]?.value ?? '') || hasWord(args, /^--help$/)) return false;
  if (
    /^(apt|apt-get|aptitude)$/.test(program) &&
    hasWord(args, /^(-s|--simulate|--just-print|--recon|--no-act)$/)
  )
    return false;
  if (tries.test(program) && hasWord(args, /^--dry-run$/) && !hasWord(args, /^--no-dry/)) return false;
  const pattern = Object.hasOwn(letters, program) ? letters[program] : undefined;
  if (pattern) return args.some((word) => word.value === undefined || pattern.test(word.value));
  const names = (Object.hasOwn(managers, program) ? managers[program] : undefined) ?? [];
  if (names.length === 0) return true;
  if (program === 'npm' && args[0]?.value === 'audit') return args.some((word) => word.value === 'fix');
  // `yarn` alone installs.
  if (program === 'yarn' && operandsOf(args).length === 0) return true;
  // `cargo +nightly …` names a toolchain before the subcommand.
  const words = args.filter((word) => !word.prefix.startsWith('+'));
  return subcommandsOf(words).some(
    (word) =>
      word.value === undefined ||
      (isNamed(program, word.value, names) && !onlyLooks(word.value, words.slice(words.indexOf(word) + 1))),
  );
}

/**
 * npm, gem and composer accept any unambiguous prefix of a subcommand, and npm also `cleanInstall` for `clean-install`.
 */
function isNamed(program: string, given: string, names: readonly string[]): boolean {
  const word = program === 'npm' ? given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) : given;
  if (names.includes(word)) return true;
  if (!/^(npm|gem|composer)$/.test(program) || word.length < 3 || others.test(word)) return false;
  return names.some((name) => name.startsWith(word));
}

/**
 * `uv pip list`, `rustup toolchain list`, `cargo install --list`: the subcommand has subcommands, and this one only
 * shows.
 */
function onlyLooks(word: string, rest: readonly Word[]): boolean {
  if (word === 'install' && rest.length === 1 && rest[0]?.value === '--list') return true;
  if (!nested.test(word)) return false;
  const next = rest.find(({ prefix }) => !prefix.startsWith('-'));
  return next?.value !== undefined && shows.test(next.value);
}

const tells = /^(-V|-v|--version|-h)$/;
/** Programs that change nothing with `--dry-run`. */
const tries =
  /^(semantic-release|release-it|npm|pip3?|uv|poetry|cargo|bun|apt|apt-get|aptitude|brew|composer|conda|mamba)$/;
/** Prefixes of other subcommands that change nothing. */
const others = /^(audi?t?|packa?g?e?|cach?e?|conf?i?g?|info|list?|view|sea?r?c?h?|outd?a?t?e?d?)$/;
const nested =
  /^(npm|pip|tool|self|python|env|toolchain|target|component|plugins?|profile|store|services|pub|workload|global|owner|cask|bundle|group|switch|repo|set)$/;
const shows =
  /^(list|ls|show|info|search|freeze|tree|check|compile|dir|find|outdated|deps|export|why|path-info|doctor|which|current|available|version|audit|whoami)$/;

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

/** Each manager's words for installing, removing and the like; those with letters as verbs come below. */
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
  yarn: [...verbs, 'npm', 'up', 'upgrade-interactive', 'global', 'publish', 'dedupe', 'set'],
  bun: [...verbs, 'i', 'a', 'ci', 'publish', 'create'],
  pip: [...verbs, 'download', 'wheel'],
  pip3: [...verbs, 'download', 'wheel'],
  pipx: [...verbs, 'inject', 'install-all', 'upgrade-all', 'uninstall-all', 'ensurepath'],
  uv: [...verbs, 'pip', 'tool', 'sync', 'publish', 'self', 'python'],
  poetry: [...verbs, 'self', 'sync', 'publish'],
  pipenv: [...verbs, 'sync', 'clean'],
  pdm: [...verbs, 'sync', 'publish', 'self'],
  easy_install: [],
  'semantic-release': [],
  'release-it': [],
  cargo: [...verbs, 'publish', 'yank', 'login', 'owner', 'binstall'],
  rustup: [...verbs, 'default', 'self', 'toolchain', 'target', 'component'],
  gem: [...verbs, 'i', 'cleanup', 'push', 'yank'],
  bundle: [...verbs, 'clean'],
  bundler: [...verbs, 'clean'],
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

/** Every program that installs, removes or publishes packages. */
export const packageManagers: readonly string[] = [...Object.keys(managers), ...Object.keys(letters)];
