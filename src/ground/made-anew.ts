/** Folders of what programs make and can make again, which history leaves out. */
export const leftOutNames: readonly string[] = [
  '.git',
  'node_modules',
  'target',
  'dist',
  '.cache',
  '__pycache__',
  '.venv',
  '.mypy_cache',
  '.pytest_cache',
  '.gradle',
  '.next',
  '.turbo',
];

/** And those whose loss nobody minds either, although history keeps what was in them. */
export const madeAnewNames: ReadonlySet<string> = new Set([
  ...leftOutNames.filter((name) => name !== '.git'),
  ...['build', '_build', 'out', 'coverage', 'htmlcov', '.nyc_output', '.nuxt', '.output', '.svelte-kit'],
  ...['.parcel-cache', '.vite', '.angular', '.sass-cache', '_site', '.tox', '.nox', '.ruff_cache', '.eggs'],
  ...['venv', '.dart_tool', '.terraform', 'DerivedData', 'Pods', '.ipynb_checkpoints'],
]);
