import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Commands, RunResult } from '../../../contract/capabilities/process.ts';
import { openBlobs } from '../blobs.ts';
import { createContents } from '../contents.ts';
import { watchCommands } from '../watch-commands.ts';
import { createBounds } from './bounds.ts';
import { scan } from './scan.ts';

let folder: string;
let root: string;
const few = { maxEntries: 600, maxInFolder: 300 };

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bounds-')));
  root = join(folder, 'root');
  mkdirSync(join(root, 'src'), { recursive: true });
  writeFileSync(join(root, 'src/a.txt'), 'a');
});
afterEach(() => rmSync(folder, { recursive: true }));

function fill(name: string, count: number): void {
  mkdirSync(join(root, name), { recursive: true });
  for (let index = 0; index < count; index++) writeFileSync(join(root, name, `${index}`), '');
}

test('a folder with too many entries is left out with all below it, and the rest is looked at', async () => {
  fill('[big]*', 301);
  fill('[big]*/deep', 5);
  fill('other', 20);
  const bounds = createBounds(few);
  const found = await scan(root, { ignore: [], bounds });
  expect([...bounds.leftOut]).toEqual(['[big]*']);
  expect(found.map(({ path }) => path).filter((path) => path.startsWith('[big]*/'))).toEqual([]);
  expect(found.filter(({ path }) => path.startsWith('other/'))).toHaveLength(20);
  bounds.begin();
  const again = await scan(root, { ignore: [], bounds });
  expect(again.filter(({ path }) => path.startsWith('other/'))).toHaveLength(20);
});

test('a folder with too many in all is not looked at', async () => {
  for (const name of ['a', 'b', 'c']) fill(name, 250);
  const bounds = createBounds(few);
  expect(await scan(root, { ignore: [], bounds })).toEqual([]);
  expect(bounds.leavesOut('')).toBe(true);
});

test('as many as are allowed are all looked at', async () => {
  fill('a', 300);
  const bounds = createBounds(few);
  expect(await scan(root, { ignore: [], bounds })).toHaveLength(304);
  expect(bounds.leftOut.size).toBe(0);
});

test('the reply of the first command says what is left out; what is not is still written down', async () => {
  const added: string[] = [];
  const recorder = {
    listen: () => () => {},
    current: () => ({ principal: 'local', sessionId: '', tool: 'bash', auditId: 'a' }),
    add: async (changes: readonly { path: string }[]) => void added.push(...changes.map(({ path }) => path)),
  };
  const watch = watchCommands({
    folder: join(folder, 'held'),
    roots: [root],
    ignore: [],
    recorder: recorder as never,
    contents: createContents(openBlobs(join(folder, 'contents')), async () => undefined),
    maxBytes: 1e6,
    now: Date.now,
    recovered: async () => {},
    onFailure: 'keep',
    watched: '/nonexistent',
    bounds: few,
  });
  let work = () => {};
  const run = async () => {
    work();
    return { stderr: 'own\n' } as RunResult;
  };
  // This is about the looks, so nothing runs on a layer.
  const whyDirect = async () => 'it is a test of looks';
  const commands = watch.watch({ run, whyDirect, watches: async () => false } as unknown as Commands);
  const stderrOf = async () => (await commands.run({ script: '' } as never, {} as never)).stderr;

  expect(await stderrOf()).toBe('own\n');
  work = () => fill('big', 400);
  expect(await stderrOf()).toContain('[history: big holds more than 300 entries; undo does not');
  work = () => {
    writeFileSync(join(root, 'big/0'), 'changed');
    writeFileSync(join(root, 'src/a.txt'), 'changed');
  };
  added.length = 0;
  expect(await stderrOf()).toBe('own\n');
  expect(added).toEqual(['src/a.txt']);
  await watch.close();
});
