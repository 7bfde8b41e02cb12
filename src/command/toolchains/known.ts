/** A version manager or toolchain in its standard layout. */
export interface KnownToolchain {
  readonly name: string;
  /** Variables that name its folder; the first is passed to commands, since their HOME is another. */
  readonly variables: readonly string[];
  /** Its usual paths: below the home folder, or below the data folder if it begins with `data:`. */
  readonly homes: readonly string[];
  /** A name that must be in it: if a variable names another folder, nothing of that is shown. */
  readonly mark: string;
  /** Its visible parts, if it contains more than programs. Undefined: all but `secrets`. */
  readonly shown?: readonly string[];
  /** Files that may contain credentials, by their programs' names for them; `*` is one name. */
  readonly secrets?: readonly string[];
  /** Its programs write there: commands are not pointed to it, and write in their own folder. */
  readonly writesThere?: true;
}

// Configuration of a whole installation: pip's and npm's may name a registry with its password.
const pip = 'pip.conf';
const npm = 'etc/npmrc';
// The address that a clone came from may contain a password.
export const clones: readonly string[] = ['.git/config', 'plugins/*/.git/config'];
const conda = ['.condarc', 'condarc', 'condarc.d', '.netrc', pip, npm];

/** Of a Python with its own folder. */
export const prefixSecrets: readonly string[] = [...conda];

export const knownToolchains: readonly KnownToolchain[] = [
  {
    name: 'pyenv',
    variables: ['PYENV_ROOT'],
    homes: ['.pyenv'],
    mark: 'versions',
    secrets: [clones, below('versions/*', conda), below('versions/*/envs/*', conda)].flat(),
  },
  {
    name: 'nvm',
    variables: ['NVM_DIR'],
    homes: ['.nvm', '.config/nvm'],
    mark: 'versions',
    secrets: [clones, '.npmrc', below('versions/*/*', [npm])].flat(),
  },
  {
    name: 'fnm',
    variables: ['FNM_DIR'],
    homes: ['data:fnm', '.fnm'],
    mark: 'node-versions',
    secrets: below('node-versions/*/installation', [npm]),
  },
  {
    name: 'volta',
    variables: ['VOLTA_HOME'],
    homes: ['.volta'],
    mark: 'tools',
    secrets: below('tools/image/*/*', [npm]),
  },
  {
    name: 'nodenv',
    variables: ['NODENV_ROOT'],
    homes: ['.nodenv'],
    mark: 'versions',
    secrets: [clones, below('versions/*', [npm])].flat(),
  },
  {
    name: 'asdf',
    variables: ['ASDF_DATA_DIR'],
    homes: ['.asdf'],
    mark: 'plugins',
    secrets: [clones, below('installs/*/*', conda)].flat(),
  },
  { name: 'asdf itself', variables: ['ASDF_DIR'], homes: [], mark: 'asdf.sh' },
  {
    name: 'mise',
    variables: ['MISE_DATA_DIR'],
    homes: ['data:mise'],
    mark: 'installs',
    shown: ['installs', 'shims', 'plugins'],
    secrets: [clones, below('installs/*/*', conda)].flat(),
  },
  { name: 'rustup', variables: ['RUSTUP_HOME'], homes: ['.rustup'], mark: 'toolchains' },
  {
    name: 'cargo',
    variables: ['CARGO_HOME'],
    homes: ['.cargo'],
    mark: 'bin',
    shown: ['bin'],
    secrets: ['credentials.toml', 'credentials', 'config.toml', 'config'],
    writesThere: true,
  },
  { name: 'go', variables: ['GOROOT'], homes: [], mark: 'bin/go' },
  {
    name: 'go programs',
    variables: ['GOPATH'],
    homes: ['go'],
    mark: 'bin',
    shown: ['bin'],
    writesThere: true,
  },
  { name: 'goenv', variables: ['GOENV_ROOT'], homes: ['.goenv'], mark: 'versions', secrets: clones },
  { name: 'sdkman', variables: ['SDKMAN_DIR'], homes: ['.sdkman'], mark: 'candidates' },
  { name: 'java', variables: ['JAVA_HOME'], homes: [], mark: 'bin/java' },
  { name: 'rbenv', variables: ['RBENV_ROOT'], homes: ['.rbenv'], mark: 'versions', secrets: clones },
  {
    name: 'uv pythons',
    variables: ['UV_PYTHON_INSTALL_DIR'],
    homes: ['data:uv/python'],
    mark: '.lock',
    secrets: below('*', conda),
  },
  {
    name: 'uv tools',
    variables: ['UV_TOOL_DIR'],
    homes: ['data:uv/tools'],
    mark: '.lock',
    secrets: below('*', conda),
  },
  {
    name: 'pipx',
    variables: ['PIPX_HOME'],
    homes: ['data:pipx', '.local/pipx'],
    mark: 'venvs',
    secrets: below('venvs/*', conda),
  },
  {
    name: 'bun',
    variables: ['BUN_INSTALL'],
    homes: ['.bun'],
    mark: 'bin',
    shown: ['bin', 'install/global'],
    writesThere: true,
  },
  { name: 'deno', variables: ['DENO_INSTALL'], homes: ['.deno'], mark: 'bin', shown: ['bin'] },
  ...['CONDA_PREFIX', 'MAMBA_ROOT_PREFIX'].map((variable) => ({
    name: 'conda',
    variables: [variable],
    homes: [],
    mark: 'conda-meta',
    secrets: [conda, below('envs/*', conda)].flat(),
  })),
  ...['miniconda3', 'anaconda3', 'miniforge3', 'mambaforge', 'micromamba'].map((folder) => ({
    name: 'conda',
    variables: [],
    homes: [folder],
    mark: folder === 'micromamba' ? 'envs' : 'conda-meta',
    secrets: [conda, below('envs/*', conda)].flat(),
  })),
  {
    name: 'pnpm',
    variables: ['PNPM_HOME'],
    homes: ['data:pnpm'],
    mark: 'global',
    secrets: below('nodejs/*', [npm]),
    writesThere: true,
  },
  { name: 'yarn', variables: [], homes: ['.yarn'], mark: 'bin', shown: ['bin', 'lib'] },
  {
    name: 'yarn',
    variables: [],
    homes: ['.config/yarn/global'],
    mark: 'node_modules',
    shown: ['node_modules'],
  },
  { name: 'dotnet', variables: ['DOTNET_ROOT'], homes: ['.dotnet'], mark: 'dotnet', secrets: ['corefx'] },
  { name: 'ghcup', variables: [], homes: ['.ghcup'], mark: 'bin' },
  {
    name: 'virtual environment',
    variables: ['VIRTUAL_ENV'],
    homes: [],
    mark: 'pyvenv.cfg',
    secrets: prefixSecrets,
  },
];

/** The version chosen in the person's shell, which is only a name. */
export const versionVariables =
  /^(?:(?:PYENV|RBENV|NODENV|GOENV)_VERSION|(?:ASDF|MISE)_[A-Z0-9_]+_VERSION|RUSTUP_TOOLCHAIN|GOTOOLCHAIN|CONDA_DEFAULT_ENV|PYTHONDONTWRITEBYTECODE)$/;

/** Files that choose a version for all folders below; version managers search upwards for them. */
export const versionFiles: readonly string[] = [
  ...['.tool-versions', '.python-version', '.node-version', '.nvmrc', '.ruby-version', '.go-version'],
  ...['.java-version', 'rust-toolchain', 'rust-toolchain.toml'],
];

function below(folder: string, names: readonly string[]): readonly string[] {
  return names.map((name) => `${folder}/${name}`);
}
