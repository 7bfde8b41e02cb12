import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { needs, sandbox } from '../support/needs.ts';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '../..');

/** What each program must say, beside ending well. */
const words: Readonly<Record<string, readonly RegExp[]>> = {
  'stdio-client': [/^tools: help, read_file, /m, /^hello.txt: "Hello\.\\n"$/m, /^answered: refused: /m],
  'http-client': [
    /^without a token: 401$/m,
    /^hana sees \d+ tools/m,
    /^recorded: user:reader file_read ok$/m,
  ],
  'proxied-server': [/^high water: .*\n04:12/m, /^asked: .*tides__close_harbour/m, /Uraga is closed/],
  'command-library': [
    /^sudo rm -rf \/: deny/m,
    /^careless: ask \(it deletes or overwrites all that was there: 4 files\)$/m,
    /^after discarding: 4 files$/m,
    /^wanted: created all\.csv\nafter keeping: all\.csv is there$/m,
  ],
  files: [/^written: 8 bytes$/m, /(^refused: \w+\n){3}/m, /^swapped: true, leaked: 0$/m],
  'own-toolset': [/sensor_read, sensor_export$/m, /^sensor_read: .*roof, cellar/m, /outside/],
};

let home = '';

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'sekisho-examples-'));
  // They run against the built product; the build is a step of its own before the tests.
  if (!existsSync(join(repository, 'dist/sekisho.js'))) {
    await run(process.execPath, ['scripts/build.ts', '--bundle-only'], { cwd: repository });
  }
});

afterAll(() => rm(home, { recursive: true, force: true }));

test('every example is tried', () => {
  const programs = globSync('examples/*/main.ts', { cwd: repository }).map((path) => path.split('/')[1]);
  expect(programs.sort()).toEqual(Object.keys(words).sort());
});

/** Proxied servers start behind walls or not at all. */
const needWalls = new Set(['proxied-server']);
const needLayers = new Set(['command-library']);

for (const [name, expected] of Object.entries(words)) {
  const lack = needLayers.has(name)
    ? sandbox('bubblewrap')
    : needWalls.has(name)
      ? sandbox('bubblewrap', 'landlock')
      : undefined;
  test(`examples/${name} runs and ends well`, needs(lack), async () => {
    const { stdout } = await run(process.execPath, [join(repository, 'examples', name, 'main.ts')], {
      cwd: home,
      env: { HOME: home, PATH: process.env.PATH, LANG: 'C.UTF-8' },
    });
    for (const pattern of expected) expect(stdout).toMatch(pattern);
  });
}
