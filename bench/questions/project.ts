import type { ReadFile } from '../../src/judgement/rules/rule.ts';

/** The projects of these sessions have the tools that they run. */
const tools = [
  ...['typescript', 'tsc', 'tsx', 'tsup', 'ts-node', 'vitest', 'jest', 'mocha', 'tap', 'c8', 'playwright'],
  ...['eslint', 'prettier', 'stylelint', 'biome', 'knip', 'depcheck', 'madge', 'svelte-check', 'husky'],
  ...['next', 'vite', 'webpack', 'rollup', 'esbuild', 'swc', 'storybook', 'astro', 'turbo', 'wrangler'],
  ...['prisma', 'typeorm', 'knex', 'drizzle-kit', 'wait-on', 'react-scripts', 'http-server', 'serve'],
  ...['nuxi', 'nx', 'lerna', 'cypress', 'kill-port', 'chromatic', 'changeset'],
];
const manifest = JSON.stringify({ devDependencies: Object.fromEntries(tools.map((name) => [name, '*'])) });

/** Manifests of a project at this path. */
export function readProject(root: string): ReadFile {
  return (path) => {
    if (path === `${root}/pyproject.toml`) return 'dependencies = [\n  "pytest-cov",\n]\n';
    return path === `${root}/package.json` ? manifest : undefined;
  };
}
