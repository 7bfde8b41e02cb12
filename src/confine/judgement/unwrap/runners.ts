import type { WrapperGrammar } from './table.ts';

/** Package managers and version managers that run a program of a project. */
export const runners: ReadonlyMap<string, WrapperGrammar> = new Map<string, WrapperGrammar>([
  [
    'npx',
    {
      flags: 'yq',
      valued: 'p',
      long: ['yes', 'no', 'no-install', 'quiet', 'ignore-existing', 'offline', 'prefer-offline'],
      longValued: ['package'],
    },
  ],
  ['bunx', { long: ['bun', 'silent', 'verbose'] }],
  ['pnpx', {}],
  ['uvx', { flags: 'qvn', longValued: ['from', 'with', 'python'], valued: 'p' }],
  [
    'npm',
    {
      verbs: ['exec', 'x'],
      flags: 'yw',
      long: ['yes', 'no', 'silent'],
      longValued: ['package', 'workspace', 'prefix'],
    },
  ],
  [
    'pnpm',
    {
      verbs: ['exec', 'dlx'],
      flags: 'rc',
      valued: 'CF',
      long: ['recursive', 'silent', 'parallel', 'help', 'offline'],
      longValued: ['filter', 'dir', 'package'],
    },
  ],
  ['yarn', { verbs: ['exec', 'dlx'], flags: 'q', valued: 'p', longValued: ['package', 'cwd'] }],
  ['bundle', { verbs: ['exec'], long: ['keep-file-descriptors'], longValued: ['gemfile'] }],
  [
    'uv',
    {
      verbs: ['run'],
      flags: 'qvnm',
      valued: 'p',
      long: ['frozen', 'locked', 'no-sync', 'isolated', 'no-project', 'all-extras', 'active'],
      longValued: ['with', 'python', 'extra', 'group', 'project', 'directory', 'package', 'env-file'],
    },
  ],
  ['poetry', { verbs: ['run'], flags: 'nqv' }],
  ['pipenv', { verbs: ['run'] }],
  ['pdm', { verbs: ['run'] }],
  ['pixi', { verbs: ['run'] }],
  ['rye', { verbs: ['run'] }],
  ['pipx', { verbs: ['run'], longValued: ['spec', 'python'] }],
  [
    'conda',
    {
      verbs: ['run'],
      valued: 'np',
      long: ['no-capture-output', 'live-stream'],
      longValued: ['name', 'prefix', 'cwd'],
    },
  ],
  ['mamba', { verbs: ['run'], valued: 'np', longValued: ['name', 'prefix', 'cwd'] }],
  ['direnv', { verbs: ['exec'], operands: 1 }],
  ['mise', { verbs: ['exec', 'x'] }],
  ['asdf', { verbs: ['exec'] }],
  ['rbenv', { verbs: ['exec'] }],
  ['pyenv', { verbs: ['exec'] }],
  ['nvm', { verbs: ['exec'], operands: 1 }],
  ['doppler', { verbs: ['run'] }],
  ['op', { verbs: ['run'], longValued: ['env-file'] }],
  ['cross-env', { assignments: true }],
  ['cross-env-shell', { assignments: true, joined: true }],
  ['dotenv', { valued: 'efvp', flags: 'o' }],
  [
    'dotenvx',
    { verbs: ['run'], flags: 'q', valued: 'f', long: ['quiet', 'overload'], longValued: ['env-file'] },
  ],
  [
    'env-cmd',
    {
      valued: 'fer',
      flags: 'x',
      longValued: ['file', 'environments'],
      long: ['no-override', 'silent', 'use-shell', 'expand-envs'],
    },
  ],
  ['hatch', { verbs: ['run'] }],
]);
