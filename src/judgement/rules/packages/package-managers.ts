import { hasWord, operandsOf, subcommandsOf } from '../../words/subcommands.ts';
import type { Word } from '../../words/word.ts';
import { byProgram, words } from './installers.ts';

/** Does this line of a package manager install or remove, or may it? */
export function changesPackages(program: string, args: readonly Word[]): boolean {
  if (tells.test(args[0]?.value ?? '') || hasWord(args, /^--help$/)) return false;
  if (
    /^(apt|apt-get|aptitude)$/.test(program) &&
    hasWord(args, /^(-s|--simulate|--just-print|--recon|--no-act)$/)
  )
    return false;
  if (tries.test(program) && hasWord(args, /^--dry-run$/) && !hasWord(args, /^--no-dry/)) return false;
  const names = managers.get(program) ?? [];
  if (names instanceof RegExp) return args.some(({ value }) => value === undefined || names.test(value));
  if (names.length === 0) return true;
  if (program === 'npm' && args[0]?.value === 'audit') return args.some((word) => word.value === 'fix');
  // `yarn` alone installs.
  if (program === 'yarn' && operandsOf(args).length === 0) return true;
  // `cargo +nightly …` names a toolchain before the subcommand.
  const given = args.filter((word) => !word.prefix.startsWith('+'));
  return subcommandsOf(given).some(
    (word) =>
      word.value === undefined ||
      (isNamed(program, word.value, names) && !onlyLooks(word.value, given.slice(given.indexOf(word) + 1))),
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

/** `uv pip list`, `rustup toolchain list`, `cargo install --list`: a subcommand with subcommands that only shows. */
function onlyLooks(word: string, rest: readonly Word[]): boolean {
  if (word === 'install' && rest.length === 1 && rest[0]?.value === '--list') return true;
  if (!nested.test(word)) return false;
  const next = rest.find(({ prefix }) => !prefix.startsWith('-'));
  return next?.value !== undefined && shows.test(next.value);
}

const tells = /^(-V|-v|--version|-h)$/;
/** Programs that change nothing with `--dry-run`. */
const tries = /^(npm|pip3?|uv|poetry|cargo|bun|apt|apt-get|aptitude|brew|composer|conda|mamba)$/;
/** Prefixes of other subcommands that change nothing. */
const others = /^(audi?t?|packa?g?e?|cach?e?|conf?i?g?|info|list?|view|sea?r?c?h?|outd?a?t?e?d?)$/;
const nested =
  /^(pip|tool|self|python|env|toolchain|target|component|plugins?|ext|extensions?|profile|store|services|pub|workload|global|cask|bundle|group|switch|repo|set)$/;
const shows =
  /^(list|ls|show|info|search|browse|exec|freeze|tree|check|compile|dir|find|outdated|deps|export|why|path-info|doctor|which|current|available|version|audit|whoami)$/;

const verbs = words('install add remove rm uninstall upgrade update reinstall purge autoremove link unlink');

/** The common words, and more. */
const and = (more: string): readonly string[] => [...verbs, ...words(more)];

/** Each manager's words for installing, removing and the like, or what such a word looks like. None: all of them. */
const managers = byProgram<readonly string[] | RegExp>({
  'apt apt-get aptitude': and(
    'full-upgrade dist-upgrade safe-upgrade build-dep dselect-upgrade satisfy edit-sources source hold forget-new ' +
      'clean autopurge autoclean',
  ),
  'yum dnf microdnf tdnf zypper': and(
    'localinstall erase downgrade group groupinstall swap distro-sync in up dup dist-upgrade patch ' +
      'install-new-recommends ar addrepo',
  ),
  apk: and('del fix'),
  brew: and('cask bundle tap untap cleanup pin services'),
  port: and('selfupdate activate deactivate'),
  snap: and('refresh revert'),
  'flatpak choco winget scoop opkg xbps pecl pear deno tlmgr': verbs,
  npm: and(
    'i in isntall ci clean-install cit it install-test install-ci-test install-clean ic un r up udpate dedupe ddp prune rb rebuild ln audit-fix',
  ),
  pnpm: and('i un up ln import prune self-update install-test it ci'),
  yarn: and('up upgrade-interactive global dedupe set'),
  bun: and('i a ci create'),
  'pip pip3': and('download wheel'),
  pipx: and('inject runpip install-all upgrade-all uninstall-all ensurepath'),
  uv: and('pip tool sync self python'),
  'poetry pdm rye': and('self sync'),
  pipenv: and('sync clean'),
  'easy_install cpan cpanm': [],
  cargo: and('binstall'),
  rustup: and('default self toolchain target component'),
  gem: and('i cleanup'),
  'bundle bundler': and('clean'),
  go: words('install get'),
  'conda mamba micromamba': and('create env clean'),
  composer: and('require req i global create-project self-update selfupdate'),
  dotnet: words('add remove tool restore workload'),
  nuget: and('restore'),
  guix: and('package pull gc'),
  nix: words('profile upgrade-nix store'),
  cabal: words('install update'),
  stack: words('install setup upgrade'),
  opam: and('switch pin'),
  luarocks: and('build'),
  mix: words('deps.get deps.update archive.install local.hex'),
  pod: words('install update repo'),
  asdf: words('install uninstall plugin plugin-add update'),
  mise: words('install i uninstall use upgrade up plugin plugins'),
  'nvm fnm': words('install uninstall'),
  proto: words('install uninstall run'),
  helm: words('plugin plugins'),
  gh: words('extension extensions ext'),
  'ansible-galaxy': words('install'),
  corepack: words('enable disable install prepare up use'),
  volta: words('install uninstall pin'),
  pixi: and('global'),
  sdk: and('use default selfupdate flush'),
  vcpkg: and('integrate'),
  conan: and('create'),
  spack: and('load'),
  dart: words('pub'),
  flutter: words('pub upgrade downgrade'),
  dpkg: /^(-i|-r|-P|-\w*[irP]\w*|--(install|remove|purge|unpack|configure|force.*))$/,
  rpm: /^(-\w*[iUFe]\w*|--(install|upgrade|erase|freshen|import|reinstall|rebuilddb))$/,
  pacman: /^(-\w*[SRU]\w*|--(sync|remove|upgrade))$/,
  'yay paru': /^(-\w*[SRU]\w*|--(sync|remove|upgrade))$|^[^-]/,
  'nix-shell': /^(-\w*p|--packages)$/,
  'nix-env': /^(-\w*[ieu]\w*|--(install|uninstall|upgrade|set).*)$/,
  pkg: /^(install|delete|remove|upgrade|autoremove|add|update|-\w*[y]\w*)$/,
  'pkg_add pkg_delete xbps-install xbps-remove installer apt-mark add-apt-repository msiexec': /./,
  emerge: /^[^-]|^-\w*[cCu]/,
  softwareupdate: /^(-i|--install|-ia)/,
  'update-alternatives': /^--(install|remove|set|config)/,
  code: /^--(un)?install-extension/,
  r: /^INSTALL$|^REMOVE$/,
});

/** Every program that installs or removes packages. */
export const packageManagers: readonly string[] = [...managers.keys()];

/** They change system folders, which are read-only for commands. */
export const systemManagers: ReadonlySet<string> = new Set([
  ...['apt', 'apt-get', 'aptitude', 'yum', 'dnf', 'microdnf', 'tdnf', 'zypper', 'apk', 'port', 'snap'],
  ...['dpkg', 'rpm', 'pacman', 'emerge', 'xbps-install', 'xbps-remove', 'apt-mark', 'add-apt-repository'],
]);
