/** How a program installs the packages of a manifest. */
export interface Installer {
  /** Words that install, without operands; the empty string is the program alone. */
  readonly verbs: readonly string[];
  readonly switches: readonly string[];
  /** Options whose value is neither a package nor a source. */
  readonly valued: readonly string[];
  /** Options whose value is a file with packages, or a project's folder. */
  readonly lists?: readonly string[];
  /** Hosts that it uses unless configured otherwise. */
  readonly registry: readonly string[];
  readonly manifests: readonly string[];
}

/** Describes how a program reads its words; undefined if it is not known to install from a manifest. */
export function installerOf(program: string): Installer | undefined {
  return installers.get(program);
}

/** A list of words, as a line. */
export function words(line: string): readonly string[] {
  return line.split(' ');
}

const forJavaScript = {
  registry: ['registry.npmjs.org'],
  manifests: ['package.json'],
};

const npm: Installer = {
  ...forJavaScript,
  verbs: words(
    'install i in ins inst insta instal isnt isnta isntal isntall add ci clean-install ic install-clean ' +
      'install-test it install-ci-test cit update up upgrade udpate dedupe ddp prune rebuild rb',
  ),
  switches: words(
    '-D -P -O -E -B -f -q -s -d -dd -S --save --no-save --save-dev --save-prod --save-optional --save-peer --save-exact ' +
      '--save-bundle --audit --no-audit --fund --no-fund --silent --quiet --verbose --force --legacy-peer-deps ' +
      '--strict-peer-deps --prefer-dedupe --prefer-offline --prefer-online --offline --production --ignore-scripts ' +
      '--foreground-scripts --no-package-lock --package-lock --package-lock-only --no-optional --no-progress ' +
      '--progress --no-color --color --json --no-bin-links --engine-strict --workspaces -ws --no-workspaces ' +
      '--include-workspace-root --no-update-notifier --dry-run --yes -y --install-links --no-save',
  ),
  valued: words(
    '--omit --include --only --also --loglevel -w --workspace --prefix -C --install-strategy --cache --maxsockets ' +
      '--fetch-retries --fetch-timeout --fetch-retry-mintimeout --fetch-retry-maxtimeout --before --lockfile-version ' +
      '--cpu --os --libc',
  ),
};

const pip: Installer = {
  verbs: words('install download wheel'),
  switches: words(
    '-U -q -qq -qqq -v -vv -I --upgrade --quiet --verbose --no-cache-dir --no-deps --no-build-isolation --user --pre ' +
      '--prefer-binary --disable-pip-version-check --no-input --no-index --break-system-packages --force-reinstall ' +
      '--ignore-installed --no-warn-script-location --no-warn-conflicts --require-virtualenv --require-hashes ' +
      '--no-compile --compile --no-color --dry-run --use-pep517 --no-clean --isolated --ignore-requires-python',
  ),
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
const everyGroup = words('--all-extras --all-groups --dev --no-dev --only-dev --no-default-groups');

const uv: Installer = {
  ...pip,
  verbs: ['sync', 'lock', 'pip install', 'add'],
  switches: [
    ...pip.switches,
    ...everyGroup,
    ...words(
      '--frozen --locked --no-sync --active --inexact --exact --no-install-project --no-install-workspace --no-editable ' +
        '--system --offline --no-progress --refresh --reinstall --no-build --native-tls --no-config --no-cache -n ' +
        '--compile-bytecode --all-packages --strict --no-managed-python --managed-python --no-python-downloads',
    ),
  ],
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
  switches: [
    ...everyGroup,
    ...words(
      '-n -q -v -vv -vvv -d --no-root --no-interaction --no-ansi --sync --no-directory --compile --deploy --system ' +
        '--ignore-pipfile --skip-lock --pre --no-lock --frozen-lockfile --no-self --no-editable --no-isolation --prod ' +
        '--production --quiet --verbose --no-cache --dry-run --clean --no-cache --verbose',
    ),
  ],
  valued: [...groups, ...words('-C --directory -P --project -p --python')],
  lists: [],
};

/** By program: an option missing from these lists makes the line a question. */
const installers: ReadonlyMap<string, Installer> = new Map<string, Installer>([
  ['npm', npm],
  [
    'pnpm',
    {
      ...npm,
      verbs: words('install i ci add update up upgrade dedupe prune rebuild rb install-test it'),
      switches: [
        ...npm.switches,
        ...words(
          '--frozen-lockfile --no-frozen-lockfile --fix-lockfile --lockfile-only --no-lockfile --shamefully-hoist -r ' +
            '--recursive --prod --dev --no-strict-peer-dependencies --strict-peer-dependencies -W --workspace-root ' +
            '--latest -L --aggregate-output --merge-git-branch-lockfiles --ignore-pnpmfile',
        ),
      ],
      valued: words(
        '-F --filter -C --dir --reporter --loglevel --network-concurrency --child-concurrency --store-dir',
      ),
    },
  ],
  [
    'yarn',
    {
      ...forJavaScript,
      verbs: ['', ...words('install add up upgrade dedupe')],
      switches: words(
        '--frozen-lockfile --immutable --immutable-cache --check-cache --check-files --no-immutable --pure-lockfile ' +
          '--ignore-engines --ignore-scripts --ignore-optional --ignore-platform --production --prod --non-interactive ' +
          '--no-progress --silent -s --verbose --force --offline --prefer-offline --flat --no-lockfile --no-bin-links ' +
          '--skip-builds --inline-builds --json -D -E -P -O -W --dev --exact --latest --link-duplicates --har --no-node-version-check',
      ),
      valued: words(
        '--network-timeout --network-concurrency --cwd --mutex --mode --cache-folder --modules-folder',
      ),
      registry: ['registry.yarnpkg.com'],
    },
  ],
  [
    'bun',
    {
      ...forJavaScript,
      verbs: words('install i ci add a update'),
      switches: words(
        '--frozen-lockfile --production -p --no-save --save --dry-run --force -f --silent --verbose --ignore-scripts ' +
          '--no-progress --no-summary --no-cache --save-text-lockfile -d -D -E --dev --exact --optional --peer --no-verify --yes -y',
      ),
      valued: words(
        '--cwd --omit --filter --cache-dir --linker --backend --concurrent-scripts --network-concurrency',
      ),
    },
  ],
  ['pip', pip],
  ['pip3', pip],
  ['uv', uv],
  ['poetry', managed],
  ['pipenv', managed],
  ['pdm', managed],
  [
    'go',
    {
      verbs: words('get install'),
      switches: words('-u -t -v -x -d -u=patch'),
      valued: words('-C -tags -ldflags -mod'),
      registry: ['proxy.golang.org'],
      manifests: ['go.mod'],
    },
  ],
  [
    'cargo',
    {
      verbs: words('update add'),
      switches: words(
        '-q -v -vv --quiet --verbose --locked --frozen --offline --dry-run --workspace -w --aggressive --recursive ' +
          '--dev --build --optional --no-optional --no-default-features --default-features',
      ),
      valued: words('-p --package --precise --manifest-path --color --features -F -j --jobs'),
      registry: ['index.crates.io', 'static.crates.io'],
      manifests: ['Cargo.toml'],
    },
  ],
  [
    'bundle',
    {
      verbs: words('install update'),
      switches: words(
        '--local --prefer-local --deployment --frozen --quiet --verbose --redownload --force --full-index --no-cache ' +
          '--no-prune --clean --system --standalone --all --patch --minor --major --strict --conservative',
      ),
      valued: words('--jobs -j --path --retry --with --without --group -g --gemfile --binstubs --only'),
      registry: ['rubygems.org', 'index.rubygems.org'],
      manifests: ['Gemfile'],
    },
  ],
  [
    'composer',
    {
      verbs: words('install i update u upgrade require req'),
      switches: words(
        '--no-dev --dev --no-interaction -n --no-progress --prefer-dist --prefer-source --prefer-stable ' +
          '--no-scripts --no-plugins --no-autoloader -o --optimize-autoloader -q --quiet -v -vv -vvv --no-ansi --ansi ' +
          '--ignore-platform-reqs --no-suggest --dry-run -W --with-all-dependencies --with-dependencies -w ' +
          '--no-install --no-update --classmap-authoritative -a --no-cache --lock',
      ),
      valued: words('-d --working-dir --ignore-platform-req --prefer-install'),
      registry: ['repo.packagist.org'],
      manifests: ['composer.json'],
    },
  ],
]);
