/** Folders that history leaves out: git's own, and those that programs can generate again. */
export const unrecordedFolders: readonly string[] =
  '.git node_modules target dist .cache __pycache__ .venv .mypy_cache .pytest_cache .gradle .next .turbo'.split(
    ' ',
  );

/** All folders of generated files, whose loss is harmless; history keeps those that are not listed above. */
export const generatedFolders: ReadonlySet<string> = new Set([
  ...unrecordedFolders.filter((name) => name !== '.git'),
  ...['build', '_build', 'out', 'coverage', 'htmlcov', '.nyc_output', '.nuxt', '.output', '.svelte-kit'],
  ...['.parcel-cache', '.vite', '.angular', '.sass-cache', '_site', '.tox', '.nox', '.ruff_cache', '.eggs'],
  ...['venv', '.dart_tool', '.terraform', 'DerivedData', 'Pods', '.ipynb_checkpoints'],
]);
