import type { ConfigEntry } from './config-file.ts';

/**
 * Whether this variable cannot make git run a program, read another file or work in another place. Only known ones
 * pass: git has hundreds and gains more with each release, whose effects are unknown.
 */
export function isHarmless({ section, subsection, key, value }: ConfigEntry): boolean {
  if (value.length > 4096) return false;
  const sections = subsection === undefined ? alone : named;
  // A section may have the name of a property of all objects.
  const keys = Object.hasOwn(sections, section) ? sections[section] : undefined;
  if (keys === undefined) return false;
  const check = Object.hasOwn(keys, key) ? keys[key] : keys['*'];
  return check?.(value) === true;
}

type Check = (value: string) => boolean;
type Keys = Readonly<Record<string, Check>>;

/** One of git's own words: yes, no, a number, the name of a mode. */
const word: Check = (value) => /^[A-Za-z0-9][A-Za-z0-9.,:+-]*$/.test(value) || value === '';
const words: Check = (value) => /^[A-Za-z0-9 ,.:#%*=+_-]*$/.test(value);
/** Only displayed or compared. */
const anything: Check = () => true;
const refName: Check = (value) => !value.startsWith('-');
/** The name of a remote, or `.`; never an address, although git would accept one. */
const remoteName: Check = (value) => /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/.test(value);

/** An address to fetch from. `helper::address` would start the program of that name. */
export const isAddress: Check = (value) =>
  value.includes('://')
    ? /^(https?|ssh|git|file):\/\/[^-]/.test(value)
    : !value.includes('::') && /^[A-Za-z0-9_./~@]/.test(value);

function all(keys: string, check: Check): Keys {
  return Object.fromEntries(keys.split(' ').map((key) => [key, check]));
}

/** `section.key` */
const alone: Readonly<Record<string, Keys>> = {
  core: all(
    'repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol ' +
      'safecrlf quotepath abbrev compression loosecompression untrackedcache preloadindex trustctime checkstat ' +
      'longpaths whitespace sparsecheckout sparsecheckoutcone multipackindex commitgraph bigfilethreshold ' +
      'commentchar',
    words,
  ),
  user: { ...all('name email', anything), useconfigonly: word },
  author: all('name email', anything),
  committer: all('name email', anything),
  extensions: all(
    'objectformat compatobjectformat refstorage worktreeconfig partialclone preciousobjects relativeworktrees',
    word,
  ),
  branch: all('autosetupmerge autosetuprebase sort', word),
  remote: { pushdefault: remoteName },
  init: { defaultbranch: refName },
  pull: all('rebase ff', word),
  push: all('default autosetupremote followtags recursesubmodules', word),
  fetch: all('prune prunetags parallel recursesubmodules writecommitgraph', word),
  merge: all('ff conflictstyle log renamelimit renames directoryrenames stat', word),
  rebase: all('autostash autosquash updaterefs stat missingcommitscheck', word),
  rerere: all('enabled autoupdate', word),
  diff: all(
    'algorithm renames renamelimit mnemonicprefix noprefix colormoved context interhunkcontext indentheuristic ' +
      'ignoresubmodules submodule wserrorhighlight suppressblankempty',
    word,
  ),
  log: all('date decorate abbrevcommit follow showroot', words),
  status: all(
    'short branch showstash showuntrackedfiles aheadbehind relativepaths renames renamelimit',
    word,
  ),
  commit: all('verbose status cleanup', word),
  tag: all('sort', word),
  gc: all('auto autopacklimit autodetach pruneexpire reflogexpire reflogexpireunreachable', word),
  maintenance: all('auto strategy', word),
  feature: all('manyfiles experimental', word),
  index: all('version threads sparse', word),
  submodule: { ...all('recurse fetchjobs', word), active: words },
  lfs: all('repositoryformatversion', word),
  advice: { '*': word },
  color: { '*': words },
  column: { '*': words },
};

/** `section.NAME.key` */
const named: Readonly<Record<string, Keys>> = {
  branch: {
    ...all('remote pushremote', remoteName),
    merge: refName,
    rebase: word,
    ...all('description vscode-merge-base gh-merge-base', anything),
  },
  remote: {
    ...all('url pushurl', isAddress),
    ...all('fetch push', refName),
    ...all(
      'tagopt prune prunetags mirror skipdefaultupdate skipfetchall followremotehead gh-resolved promisor partialclonefilter',
      (value) => /^-{0,2}[A-Za-z0-9:=+-]*$/.test(value),
    ),
  },
  submodule: {
    url: isAddress,
    active: word,
    branch: refName,
    ignore: word,
    update: word,
    fetchrecursesubmodules: word,
  },
  color: { '*': words },
};
