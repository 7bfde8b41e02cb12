/** How a program installs the packages of a manifest. */
export interface Installer {
  /** Words that install, without operands; the empty string is the program alone. */
  readonly verbs: readonly string[];
  /** Options whose value is neither a package nor a source. */
  readonly valued: readonly string[];
  /** Options whose value is a file with packages, or a project's folder. */
  readonly lists?: readonly string[];
  /** Hosts that it uses unless configured otherwise. */
  readonly registry: readonly string[];
  readonly manifests: readonly string[];
}

/** A list of words, as a line. */
export function words(line: string): readonly string[] {
  return line.split(' ');
}

/** A table whose keys are the names of one or more programs. */
export function byProgram<T>(table: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(
    Object.entries(table).flatMap(([programs, row]) => words(programs).map((program) => [program, row])),
  );
}

const forJavaScript = { registry: ['registry.npmjs.org'], manifests: ['package.json'] };

const npm: Installer = {
  ...forJavaScript,
  verbs: words(
    'install i in ins inst insta instal isnt isnta isntal isntall add ci clean-install ic install-clean ' +
      'install-test it install-ci-test cit update up upgrade udpate dedupe ddp prune rebuild rb',
  ),
  valued: words(
    '--omit --include --only --also --loglevel -w --workspace --prefix -C --install-strategy --cache --maxsockets ' +
      '--fetch-retries --fetch-timeout --fetch-retry-mintimeout --fetch-retry-maxtimeout --before --lockfile-version ' +
      '--cpu --os --libc',
  ),
};

const pip: Installer = {
  verbs: words('install download wheel'),
  valued: words(
    '--progress-bar --timeout --retries --root-user-action --only-binary --no-binary --upgrade-strategy -t --target ' +
      '--cache-dir -d --dest -w --wheel-dir --python-version --platform --abi --implementation --log --python ' +
      '--config-settings -C',
  ),
  lists: words('-r --requirement -c --constraint -e --editable --group'),
  registry: ['pypi.org', 'files.pythonhosted.org'],
  manifests: words(
    'pyproject.toml requirements.txt requirements-dev.txt dev-requirements.txt setup.cfg Pipfile',
  ),
};

const groups = words('--extra --group --only-group --no-group --with --without --only -E --extras -G');

const uv: Installer = {
  ...pip,
  verbs: ['sync', 'lock', 'pip install', 'add'],
  valued: [
    ...pip.valued,
    ...groups,
    ...words(
      '-p --package --directory --project --prerelease --resolution --link-mode --upgrade-package -P --prefix',
    ),
  ],
  lists: words('-r --requirements -c --constraints -e --editable --overrides'),
};

const managed: Installer = {
  ...pip,
  verbs: words('install sync update lock'),
  valued: [...groups, ...words('-C --directory -P --project -p --python')],
  lists: [],
};

/** How programs read their words. The next word after an option that is missing from these lists is taken for a package. */
export const installers = byProgram<Installer>({
  npm,
  pnpm: {
    ...npm,
    verbs: words('install i ci add update up upgrade dedupe prune rebuild rb install-test it'),
    valued: words(
      '-F --filter -C --dir --reporter --loglevel --network-concurrency --child-concurrency --store-dir',
    ),
  },
  yarn: {
    ...forJavaScript,
    verbs: ['', ...words('install add up upgrade dedupe')],
    valued: words(
      '--network-timeout --network-concurrency --cwd --mutex --mode --cache-folder --modules-folder',
    ),
    registry: ['registry.yarnpkg.com'],
  },
  bun: {
    ...forJavaScript,
    verbs: words('install i ci add a update'),
    valued: words(
      '--cwd --omit --filter --cache-dir --linker --backend --concurrent-scripts --network-concurrency',
    ),
  },
  'pip pip3': pip,
  uv,
  'poetry pipenv pdm': managed,
  go: {
    verbs: words('get install'),
    valued: words('-C -tags -ldflags -mod'),
    registry: ['proxy.golang.org'],
    manifests: ['go.mod'],
  },
  cargo: {
    verbs: words('update add'),
    valued: words('-p --package --precise --manifest-path --color --features -F -j --jobs'),
    registry: ['index.crates.io', 'static.crates.io'],
    manifests: ['Cargo.toml'],
  },
  bundle: {
    verbs: words('install update'),
    valued: words('--jobs -j --path --retry --with --without --group -g --gemfile --binstubs --only'),
    registry: ['rubygems.org', 'index.rubygems.org'],
    manifests: ['Gemfile'],
  },
  composer: {
    verbs: words('install i update u upgrade require req'),
    valued: words('-d --working-dir --ignore-platform-req --prefer-install'),
    registry: ['repo.packagist.org'],
    manifests: ['composer.json'],
  },
});
