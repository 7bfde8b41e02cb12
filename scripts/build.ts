/** Bundles `src/` to `dist/` for a fast start: one entry for the binary, one for the library, chunks for the rest. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'rolldown';
import { composeConsoleAsset, consoleAssetNames } from '../src/config/console-assets.ts';
import { grammarPackages, writeGrammars } from './grammars.ts';
import { bundledPackages, composeNotices } from './notices.ts';

const packageJson = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string;
  private?: boolean;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
};
/** Modules that a start meets before its first tools/list; what they import comes with them. */
const neededByEveryStart =
  /src\/(cli\/(main|serving\/serve)|checkpoint\/(index|serving)|call\/policy\/trial|transport\/stdio|tools\/help\/index)\.ts$/;
/** The program that joins a client's streams to the shared server, which loads nothing else. */
const joining =
  /src\/(config\/state|cli\/resident\/(may-join|join|program-file|memory-names|standing)|cli\/hook\/socket)\.ts$/;
/** Besides what is no dependency: their types stand in ours, so that they are installed too. */
const bundled = new Set(['zod', 'kysely']);

if (process.argv.includes('--if-changed')) {
  if (isUpToDate()) process.exit();
  console.error('sekisho: its source has changed since the last build; building');
}

// Built aside, and then put in place file by file: a server that runs from `dist` goes on, also when it loads a chunk later.
const aside = 'dist.next';
rmSync(aside, { recursive: true, force: true });
// What brings tests or sources of many megabytes along is a development dependency, and bundled; so are these two. Zod is
// needed by every start and is four times faster to load from our bundle. The 300 files of kysely would hold up the calls
// that arrive while the first record is written. The rest is loaded when used.
const { dependencies, optionalDependencies } = packageJson;
const external = Object.keys({ ...dependencies, ...optionalDependencies }).filter(
  (name) => !bundled.has(name),
);
const { output } = await build({
  input: {
    sekisho: 'src/cli/start.ts',
    index: 'src/index.ts',
    command: 'src/entries/command.ts',
    files: 'src/entries/files.ts',
    // Threads are started by their path, beside the chunk that starts them.
    'chunks/landlock-thread': 'src/command/landlock/landlock-thread.ts',
    'chunks/watched-thread': 'src/command/watched/watched-thread.ts',
    'chunks/supervisor-thread': 'src/command/sockets/supervisor-thread.ts',
    'chunks/converter-process': 'src/network/convert/converter-process.ts',
    'chunks/parse-process': 'src/pipeline/symbols/parse-process.ts',
  },
  platform: 'node',
  // A package's modules of today, where it has older ones as well.
  resolve: { mainFields: ['module', 'main'] },
  external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
  preserveEntrySignatures: 'allow-extension',
  transform: {
    target: 'node24',
    define: {
      __SEKISHO_VERSION__: JSON.stringify(packageJson.version),
      __SEKISHO_PUBLISHED__: String(packageJson.private !== true),
    },
  },
  checks: { eval: false, ineffectiveDynamicImport: false },
  output: {
    dir: aside,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    comments: { legal: false },
    minify: { compress: true, mangle: false, codegen: true },
    // Each file costs a start more than its bytes do: what every start needs before the first tools/list is one, and what
    // the rooms share is another.
    codeSplitting: {
      groups: [
        { name: 'join', priority: 3, test: joining },
        { name: 'start', priority: 2, test: neededByEveryStart },
        { name: 'shared', priority: 1, test: /src\/(contract|ground)\//, minShareCount: 2 },
      ],
    },
  },
});
// A file of ASCII alone is read and compiled a byte a character; one Japanese letter would double them all.
for (const file of output) {
  if (file.type === 'chunk') writeFileSync(`${aside}/${file.fileName}`, inAscii(file.code));
}
// The console's files lie beside the chunk that reads them.
mkdirSync(`${aside}/chunks/console`, { recursive: true });
for (const name of consoleAssetNames)
  writeFileSync(`${aside}/chunks/console/${name}`, composeConsoleAsset(name));
writeGrammars(`${aside}/grammars`);
// Neither htmx nor the grammars are inputs of the bundle, and are given along all the same.
const sources = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
const notices = composeNotices([...bundledPackages(sources), 'node_modules/htmx.org', ...grammarPackages]);
writeFileSync(`${aside}/THIRD-PARTY.txt`, notices);
chmodSync(`${aside}/sekisho.js`, 0o755);
putInPlace();
// A benchmark needs no declarations.
if (!process.argv.includes('--bundle-only')) {
  execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
}

/**
 * Renames the new files into `dist`, chunks before the entries that name them. The chunks of earlier builds stay for a day:
 * their names differ, and servers of those builds still load them. Declarations are written anew.
 */
function putInPlace(): void {
  const built = filesBelow(aside).sort((one, other) => other.split('/').length - one.split('/').length);
  for (const name of built) {
    mkdirSync(`dist/${dirname(name)}`, { recursive: true });
    renameSync(`${aside}/${name}`, `dist/${name}`);
  }
  rmSync(aside, { recursive: true });
  const yesterday = Date.now() - 24 * 3_600_000;
  for (const name of filesBelow('dist').filter((each) => !built.includes(each))) {
    const isChunk = /^chunks\/[^/]+-[\w-]{8}\.js$/.test(name);
    if (!isChunk || statSync(`dist/${name}`).mtimeMs < yesterday) rmSync(`dist/${name}`);
  }
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((each) => each.isFile())
    .map((each) => relative(folder, join(each.parentPath, each.name)));
}

/** The same program: in texts and patterns an escape means its character. */
function inAscii(code: string): string {
  const takesNoEscape = /String\.raw`[^`]*[^\0-\x7f]|(?<!\\)(?:\\\\)*\\[^\0-\x7f]/.exec(code);
  if (takesNoEscape) throw new Error(`no escape can stand in ${takesNoEscape[0].slice(-40)}`);
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Is nothing newer than what a build writes last? A folder is newer when a file of it came or went. */
function isUpToDate(): boolean {
  const last = process.argv.includes('--bundle-only') ? 'dist/THIRD-PARTY.txt' : 'dist/index.d.ts';
  const built = statSync(last, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const folders = ['src', 'scripts'];
  const below = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const sources = [...folders, ...below, 'package.json', 'package-lock.json'];
  return sources.every((path) => statSync(path).mtimeMs < built);
}
