/** Bundles `src/` to `dist/` for a fast start: one entry for the binary, one for the library, chunks for the rest. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { composeConsoleAsset, consoleAssetNames } from '../src/config/console-assets.ts';
import { grammarPackages, writeGrammars } from './grammars.ts';
import { bundledPackages, composeNotices } from './notices.ts';

const packageJson = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string;
  private?: boolean;
  dependencies: Record<string, string>;
};
/** Besides what is no dependency: their types stand in ours, so that they are installed too. */
const bundled = new Set(['zod', 'kysely']);

if (process.argv.includes('--if-changed')) {
  if (isUpToDate()) process.exit();
  console.error('sekisho: its source has changed since the last build; building');
}

rmSync('dist', { recursive: true, force: true });
const { metafile } = await build({
  metafile: true,
  entryPoints: {
    sekisho: 'src/cli/start.ts',
    index: 'src/index.ts',
    // Threads are started by their path, beside the chunk that starts them.
    'chunks/landlock-thread': 'src/confine/process/landlock/landlock-thread.ts',
    'chunks/converter-process': 'src/confine/network/convert/converter-process.ts',
    'chunks/parse-process': 'src/confine/pipeline/symbols/parse-process.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  chunkNames: 'chunks/[name]-[hash]',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  define: {
    __SEKISHO_VERSION__: JSON.stringify(packageJson.version),
    __SEKISHO_PUBLISHED__: String(packageJson.private !== true),
  },
  // Zod is needed by every start and is four times faster to load from our bundle. The 300 files of kysely would hold
  // up the calls that arrive while the first record is written. What brings tests or sources of many megabytes along is
  // a development dependency, and bundled. The rest is loaded when used.
  external: Object.keys(packageJson.dependencies).filter((name) => !bundled.has(name)),
});
// The console's files lie beside the chunk that reads them.
mkdirSync('dist/chunks/console', { recursive: true });
for (const name of consoleAssetNames) writeFileSync(`dist/chunks/console/${name}`, composeConsoleAsset(name));
writeGrammars('dist/grammars');
// Neither htmx nor the grammars are inputs of the bundle, and are given along all the same.
const notices = composeNotices([...bundledPackages(metafile), 'node_modules/htmx.org', ...grammarPackages]);
writeFileSync('dist/THIRD-PARTY.txt', notices);
chmodSync('dist/sekisho.js', 0o755);
// A benchmark needs no declarations.
if (!process.argv.includes('--bundle-only')) {
  execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
}

/** Is nothing newer than the last file that a build writes? A folder is newer when a file of it came or went. */
function isUpToDate(): boolean {
  const built = statSync('dist/THIRD-PARTY.txt', { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const folders = ['src', 'scripts'];
  const below = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const sources = [...folders, ...below, 'package.json', 'package-lock.json'];
  return sources.every((path) => statSync(path).mtimeMs < built);
}
