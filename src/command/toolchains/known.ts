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
const conda: readonly string[] = ['.condarc', 'condarc', 'condarc.d', '.netrc', pip, npm];
const withEnvironments = [...conda, ...below('envs/*', conda)];

/** Of a Python with its own folder. */
export const prefixSecrets = conda;

/** Version managers and toolchains: name, variables, usual paths and mark. */
export const knownToolchains: readonly KnownToolchain[] = [
  known('pyenv', ['PYENV_ROOT'], ['.pyenv'], 'versions', {
    secrets: [clones, below('versions/*', conda), below('versions/*/envs/*', conda)].flat(),
  }),
  known('nvm', ['NVM_DIR'], ['.nvm', '.config/nvm'], 'versions', {
    secrets: [clones, '.npmrc', below('versions/*/*', [npm])].flat(),
  }),
  known('fnm', ['FNM_DIR'], ['data:fnm', '.fnm'], 'node-versions', {
    secrets: below('node-versions/*/installation', [npm]),
  }),
  known('volta', ['VOLTA_HOME'], ['.volta'], 'tools', { secrets: below('tools/image/*/*', [npm]) }),
  known('nodenv', ['NODENV_ROOT'], ['.nodenv'], 'versions', {
    secrets: [clones, below('versions/*', [npm])].flat(),
  }),
  known('asdf', ['ASDF_DATA_DIR'], ['.asdf'], 'plugins', {
    secrets: [clones, below('installs/*/*', conda)].flat(),
  }),
  known('asdf itself', ['ASDF_DIR'], [], 'asdf.sh'),
  known('mise', ['MISE_DATA_DIR'], ['data:mise'], 'installs', {
    shown: ['installs', 'shims', 'plugins'],
    secrets: [clones, below('installs/*/*', conda)].flat(),
  }),
  known('rustup', ['RUSTUP_HOME'], ['.rustup'], 'toolchains'),
  known('cargo', ['CARGO_HOME'], ['.cargo'], 'bin', {
    shown: ['bin'],
    secrets: ['credentials.toml', 'credentials', 'config.toml', 'config'],
    writesThere: true,
  }),
  known('go', ['GOROOT'], [], 'bin/go'),
  known('go programs', ['GOPATH'], ['go'], 'bin', { shown: ['bin'], writesThere: true }),
  known('goenv', ['GOENV_ROOT'], ['.goenv'], 'versions', { secrets: clones }),
  known('sdkman', ['SDKMAN_DIR'], ['.sdkman'], 'candidates'),
  known('java', ['JAVA_HOME'], [], 'bin/java'),
  known('rbenv', ['RBENV_ROOT'], ['.rbenv'], 'versions', { secrets: clones }),
  known('uv pythons', ['UV_PYTHON_INSTALL_DIR'], ['data:uv/python'], '.lock', { secrets: below('*', conda) }),
  known('uv tools', ['UV_TOOL_DIR'], ['data:uv/tools'], '.lock', { secrets: below('*', conda) }),
  known('pipx', ['PIPX_HOME'], ['data:pipx', '.local/pipx'], 'venvs', { secrets: below('venvs/*', conda) }),
  known('bun', ['BUN_INSTALL'], ['.bun'], 'bin', { shown: ['bin', 'install/global'], writesThere: true }),
  known('deno', ['DENO_INSTALL'], ['.deno'], 'bin', { shown: ['bin'] }),
  ...['CONDA_PREFIX', 'MAMBA_ROOT_PREFIX'].map((variable) =>
    known('conda', [variable], [], 'conda-meta', { secrets: withEnvironments }),
  ),
  ...['miniconda3', 'anaconda3', 'miniforge3', 'mambaforge'].map((folder) =>
    known('conda', [], [folder], 'conda-meta', { secrets: withEnvironments }),
  ),
  known('conda', [], ['micromamba'], 'envs', { secrets: withEnvironments }),
  known('pnpm', ['PNPM_HOME'], ['data:pnpm'], 'global', {
    secrets: below('nodejs/*', [npm]),
    writesThere: true,
  }),
  known('yarn', [], ['.yarn'], 'bin', { shown: ['bin', 'lib'] }),
  known('yarn', [], ['.config/yarn/global'], 'node_modules', { shown: ['node_modules'] }),
  known('dotnet', ['DOTNET_ROOT'], ['.dotnet'], 'dotnet', { secrets: ['corefx'] }),
  known('ghcup', [], ['.ghcup'], 'bin'),
  known('virtual environment', ['VIRTUAL_ENV'], [], 'pyvenv.cfg', { secrets: prefixSecrets }),
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

function known(
  name: string,
  variables: readonly string[],
  homes: readonly string[],
  mark: string,
  more: Pick<KnownToolchain, 'shown' | 'secrets' | 'writesThere'> = {},
): KnownToolchain {
  return { name, variables, homes, mark, ...more };
}
