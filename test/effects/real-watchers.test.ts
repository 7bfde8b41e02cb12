import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { local, openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { onLayer } from './layer-world.ts';

/** A program that watches, started by words that do not tell so. */
interface Watcher {
  readonly files: Readonly<Record<string, string>>;
  readonly line: string;
  /** The file that is changed, and its text. */
  readonly file: string;
  readonly text: (word: string) => string;
  readonly ready: RegExp;
  /** What it prints once it has seen a change. */
  readonly saw: RegExp;
  readonly lack?: string | undefined;
  /** How long it takes after that until it watches. */
  readonly settlesMs?: number;
}

const packages = resolve(process.env.SEKISHO_WATCHERS ?? 'node_modules');
const lackOf = (name: string) => (existsSync(join(packages, name)) ? undefined : `no ${name}`);
const lackOfPython = (name: string) =>
  existsSync(`/usr/lib/python3/dist-packages/${name}`) ? undefined : `no ${name} of Python`;
const script = (word: string) => `export const word = '${word}';\n`;

const watchers: Readonly<Record<string, Watcher>> = {
  'fs.watch': {
    files: {
      'dev.mjs': `import { watch, readFileSync } from 'node:fs';
watch('src', { recursive: true }, () => console.log('saw', readFileSync('src/a.js', 'utf8')));
console.log('ready');`,
    },
    line: 'node dev.mjs',
    file: 'src/a.js',
    text: script,
    ready: /ready/,
    saw: /saw/,
  },
  chokidar: {
    files: {
      'dev.mjs': `import { watch } from 'chokidar'; import { readFileSync } from 'node:fs';
watch('src').on('ready', () => console.log('ready')).on('change', (p) => console.log('saw', readFileSync(p, 'utf8')));`,
    },
    line: 'node dev.mjs',
    file: 'src/a.js',
    text: script,
    ready: /ready/,
    saw: /saw/,
    lack: lackOf('chokidar'),
  },
  vite: {
    files: {
      'index.html': '<script type="module" src="/src/a.js"></script>',
      'vite.config.mjs': "export default { cacheDir: '.cache', server: { port: 5199 } };",
      'warm.mjs': `const open = async (path) => (await fetch('http://localhost:5199' + path)).text();
while (!(await open('/').catch(() => undefined))) await new Promise((done) => setTimeout(done, 200));
await open('/src/a.js');
console.log('warm');`,
    },
    line: 'node warm.mjs & node node_modules/vite/bin/vite.js',
    file: 'src/a.js',
    text: script,
    ready: /warm/,
    saw: /page reload|hmr update/,
    lack: lackOf('vite'),
  },
  vitest: {
    files: {
      'vitest.config.mjs':
        "export default { cacheDir: '.cache', test: { watch: true, include: ['src/**/*.test.js'] } };",
      'src/a.test.js':
        "import { test } from 'vitest'; import { word } from './a.js'; test('a', () => console.log('saw ' + word));",
    },
    line: 'node node_modules/vitest/vitest.mjs',
    file: 'src/a.js',
    text: script,
    ready: /Waiting for file changes/,
    saw: /RERUN/,
    lack: lackOf('vitest'),
  },
  'tsc -w': {
    files: {
      'tsconfig.json': '{"include":["src"],"compilerOptions":{"allowJs":true,"outDir":"out","types":[]}}',
    },
    line: 'node node_modules/typescript/bin/tsc -w --preserveWatchOutput',
    file: 'src/a.js',
    text: script,
    ready: /Watching for file changes/,
    saw: /File change detected/,
    lack: lackOf('typescript'),
  },
  'node --watch': {
    files: {
      'app.mjs': "import { word } from './src/a.js'; console.log('runs', word); setInterval(() => {}, 9e8);",
    },
    line: 'watching=--watch; node $watching app.mjs',
    file: 'src/a.js',
    text: script,
    ready: /runs/,
    saw: /Restarting/,
  },
  nodemon: {
    files: {
      'app.mjs': "import { word } from './src/a.js'; console.log('runs', word); setInterval(() => {}, 9e8);",
    },
    line: 'node node_modules/nodemon/bin/nodemon.js --delay 10ms app.mjs',
    file: 'src/a.js',
    text: script,
    ready: /runs/,
    saw: /restarting due to changes/,
    lack: lackOf('nodemon'),
  },
  'flask, watchdog': {
    files: { 'app.py': 'from flask import Flask\napp = Flask(__name__)\n' },
    line: '/usr/bin/python3 -m flask run --reload --port 5198 2>&1',
    file: 'app.py',
    text: (word) => `from flask import Flask\napp = Flask(__name__)\nword = '${word}'\n`,
    ready: /Restarting with watchdog/,
    settlesMs: 12_000,
    saw: /Detected change/,
    lack: lackOfPython('flask') ?? lackOfPython('watchdog'),
  },
  inotifywait: {
    files: {},
    line: 'w=inotifywait; $w -m -r -e close_write,moved_to src 2>&1',
    file: 'src/a.js',
    text: script,
    ready: /Watches established/,
    saw: /MOVED_TO|CLOSE_WRITE/,
    lack: existsSync('/usr/bin/inotifywait') ? undefined : 'no inotifywait',
  },
};

const other = { arrival: { ...local, connectionId: 'another' } };

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

/** How others change a file, from the word before. */
const ways: Readonly<Record<string, (world: World, watcher: Watcher, path: string) => unknown>> = {
  'a tool': (world, { file }) =>
    world.call('edit_file', { path: file, old_string: "'one'", new_string: "'tool'" }, other),
  'an editor that replaces': (_, { text }, path) => {
    writeFileSync(`${path}~`, text('editor'));
    renameSync(`${path}~`, path);
  },
  'an editor in place': (_, { text }, path) => writeFileSync(path, text('place')),
  'a command that lands': (world, { file }) =>
    world.call('bash', { command: `sed -i s/one/command/ ${file}` }, other),
};

/** How long after each change the program prints what it says then. It is started anew each time: some see only the first. */
async function delaysOf(watcher: Watcher): Promise<Readonly<Record<string, number>>> {
  const delays: Record<string, number> = {};
  for (const [name, change] of Object.entries(ways)) {
    await using world = await openTestCheckpoint({
      ...onLayer,
      config: { process: { readable: [packages] } },
      files: { 'package.json': '{"type":"module"}', 'src/a.js': script('one'), ...watcher.files },
    });
    plantPackages(world.root);
    const path = join(world.root, watcher.file);
    writeFileSync(path, watcher.text('one'));
    const until = await follow(world, watcher.line);
    await until(watcher.ready, 1);
    await sleep(watcher.settlesMs ?? 1500);
    const before = await until(watcher.saw, 0);
    await change(world, watcher, path);
    const doneAt = Date.now();
    await until(watcher.saw, before + 1);
    delays[name] = Date.now() - doneAt;
  }
  return delays;
}

function plantPackages(root: string): void {
  mkdirSync(join(root, 'node_modules'));
  for (const name of readdirSync(packages))
    if (!name.startsWith('.')) symlinkSync(join(packages, name), join(root, 'node_modules', name));
}

/** Starts it; the result waits until its output has this many matches, and returns how many it has. */
async function follow(world: World, command: string) {
  const isDirect = process.env.SEKISHO_ON_FOLDERS === '1';
  const more = isDirect ? { background: true } : {};
  const begun = outputOf(await world.call('bash', { command, ...more }, { patienceMs: 1500 }));
  return async (words: RegExp, times: number): Promise<number> => {
    let said = '';
    for (const end = Date.now() + 30_000; Date.now() < end; await sleep(5)) {
      const input = { process_id: String(begun.process_id), cursor: 0 };
      said = String(outputOf(await world.call('bash_output', input)).output ?? '');
      const found = said.match(new RegExp(words, 'g'))?.length ?? 0;
      if (found >= times) return found;
    }
    throw new Error(`not seen: ${said}`);
  };
}

for (const [name, watcher] of Object.entries(watchers))
  test(`${name} sees on a layer what others change`, {
    ...needs(lackOfLayers, watcher.lack),
    timeout: 240_000,
  }, async () => {
    const delays = await delaysOf(watcher);
    console.log(JSON.stringify({ name, ...delays }));
    for (const [way, ms] of Object.entries(delays)) expect(ms, way).toBeLessThan(1500);
  });
