import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { atMost, isFull, medians, type Row } from '../measure.ts';
import { assertHolds, openOurs } from '../world.ts';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '../..');
const modules = isFull ? 800 : 200;
const files = isFull ? 5_000 : 2_000;
const many = isFull ? 100_000 : 10_000;
const rounds = 3;

/** A command on the folders themselves, whose file calls the server makes, against the same command without a server. */
export const rows: readonly Row[] = [
  {
    name: 'watched-vite',
    run: () =>
      against(`vite build of ${modules} modules, watched`, 1.1, {
        prepare(folder) {
          mkdirSync(join(folder, 'src'));
          numbered(modules, (n) =>
            writeFileSync(join(folder, `src/m${n}.js`), `export const value${n} = 'of module ${n}';\n`),
          );
          const names = Array.from({ length: modules }, (_, n) => `export * from './m${n}.js';\n`);
          writeFileSync(join(folder, 'src/index.js'), names.join(''));
          writeFileSync(join(folder, 'vite.config.js'), viteConfig);
          symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
        },
        command: `${process.execPath} node_modules/vite/bin/vite.js build --logLevel error`,
        made: 'dist',
      }),
  },
  {
    name: 'watched-cargo',
    async run() {
      if (spawnSync('cargo', ['--version']).status !== 0) return [];
      return against('cargo build of 60 modules, watched', 1.15, {
        prepare(folder) {
          mkdirSync(join(folder, 'src'));
          const names = Array.from({ length: 60 }, (_, n) => `pub mod m${n};\n`);
          writeFileSync(join(folder, 'src/lib.rs'), names.join(''));
          numbered(60, (n) =>
            writeFileSync(join(folder, `src/m${n}.rs`), `pub fn f${n}() -> usize { ${n} }\n`),
          );
          writeFileSync(
            join(folder, 'Cargo.toml'),
            '[package]\nname = "bench"\nversion = "0.1.0"\nedition = "2021"\n',
          );
        },
        command: 'cargo build --quiet --offline',
        made: 'target',
      });
    },
  },
  {
    name: 'watched-unpack',
    run: () =>
      against(`unpacking ${files} files, watched`, 1.6, {
        prepare(folder) {
          const from = join(folder, 'from');
          numbered(files, (n) => {
            const at = join(from, `${n % 200}`);
            mkdirSync(at, { recursive: true });
            writeFileSync(join(at, `${n}.txt`), `file ${n}\n`.repeat(20));
          });
          execFileSync('tar', ['cf', 'files.tar', 'from'], { cwd: folder });
          rmSync(from, { recursive: true });
        },
        // As for an ordinary user: root would give each file away.
        command: 'tar xf files.tar --no-same-owner --no-same-permissions',
        made: 'from',
      }),
  },
  {
    name: 'watched-start',
    async run() {
      const worlds = await Promise.all([0, many].map(openWith));
      const [empty, full] = worlds.map((world) => async () => {
        assertHolds(await world.ours.call('shell_exec', { command: 'true' }), '"exitCode":0');
      });
      if (!empty || !full) throw new Error('both are there');
      const values = await medians(20, full, empty);
      for (const world of worlds) await world.close();
      return [atMost(`run \`true\` watched in a tree of ${many} files`, 'in an empty one', 1.1, values)];
    },
  },
];

interface Build {
  readonly prepare: (folder: string) => void;
  readonly command: string;
  /** The folder that it makes, which is removed before each round. */
  readonly made: string;
}

async function against(row: string, most: number, { prepare, command, made }: Build) {
  const world = await openOurs({
    config: { process: { layer: 'off', readable: [repository, dirname(dirname(process.execPath))] } },
  });
  prepare(world.root);
  const plain = join(world.folder, 'plain');
  cpSync(world.root, plain, { recursive: true, verbatimSymlinks: true });
  const ours = async () => {
    rmSync(join(world.root, made), { recursive: true, force: true });
    assertHolds(await world.ours.call('shell_exec', { command, timeout_ms: 300_000 }), '"exitCode":0');
  };
  const theirs = async () => {
    rmSync(join(plain, made), { recursive: true, force: true });
    await run('bash', ['-c', command], { cwd: plain });
  };
  const values = await medians(rounds, ours, theirs);
  await world.close();
  return [atMost(row, 'the same without a server', most, values)];
}

async function openWith(count: number) {
  const world = await openOurs({ config: { process: { layer: 'off' } } });
  numbered(count, (n) => {
    const at = join(world.root, `${n % 100}`);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, `${n}.txt`), `${n}\n`);
  });
  return world;
}

function numbered(count: number, each: (n: number) => void): void {
  for (let n = 0; n < count; n++) each(n);
}

const viteConfig = `export default {
  build: {
    lib: { entry: 'src/index.js', formats: ['es'] },
    minify: false,
    rollupOptions: { output: { preserveModules: true } },
  },
};
`;
