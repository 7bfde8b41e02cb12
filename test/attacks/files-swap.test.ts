import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ToolError } from '../../src/contract/error.ts';
import { asFollowing, openWorkspace } from '../../src/files/workspace.ts';
import { linux, needs, programs } from '../support/needs.ts';

/* Row: a symbolic link is swapped in between looking at a path and using it. */

const isFull = process.env.SEKISHO_HAMMER === '1';
const reads = isFull ? 100_000 : 3000;
const writes = isFull ? 20_000 : 500;
/** What was a link a moment ago may be a folder by the time it is named. */
const refusals = ['forbidden', 'not_found', 'unsupported_type', 'conflict'];

const base = realpathSync(mkdtempSync(join(tmpdir(), 'swap-')));
const root = join(base, 'root');
const outside = join(base, 'outside');
const swap = join(base, 'swap');
const { folder, close } = openRoot();
const following = asFollowing(folder);
let attacker: ChildProcess | undefined;

afterEach(async () => {
  if (!attacker) return;
  const ended = once(attacker, 'exit');
  attacker.kill('SIGKILL');
  await ended;
  attacker = undefined;
});
afterAll(() => {
  close();
  rmSync(base, { recursive: true });
});

describe('against a process that swaps names all the time', needs(linux(), programs('gcc')), () => {
  beforeAll(() => {
    execFileSync('gcc', ['-O1', '-o', swap, join(import.meta.dirname, '../files/fixtures/swap.c')]);
  });

  test('no read of a swapped folder or file leaves the root', async () => {
    await attack('dir', 'link');
    const seen = await hammer(reads, async () => (await folder.at('dir/x').readBytes()).toString());
    expect([...seen.contents]).toEqual(['inside']);
    expect(refusals).toEqual(expect.arrayContaining([...seen.codes]));
  });

  test('no read of a swapped file leaves the root', async () => {
    await attack('leaf', 'leaf-link');
    const seen = await hammer(reads, async () => (await folder.at('leaf').readText()).text);
    expect([...seen.contents]).toEqual(['inside']);
    expect(refusals).toEqual(expect.arrayContaining([...seen.codes]));
  });

  test('no listing or stat of a swapped folder leaves the root', async () => {
    await attack('dir', 'link');
    const seen = await hammer(reads, async () => {
      folder.at('dir/only-outside').exists();
      return folder
        .at('dir')
        .entries()
        .map(({ name }) => name)
        .join();
    });
    expect([...seen.contents]).toEqual(['x']);
  });

  test.each(['link', 'leaf-link'])(
    'where links are followed, no read of a swapped %s leaves the root',
    async (name) => {
      const inside = name === 'link' ? 'dir' : 'leaf';
      await attack(`to-${inside}`, name);
      const path = name === 'link' ? `to-${inside}/x` : `to-${inside}`;
      const seen = await hammer(reads, async () => (await following.at(path).readBytes()).toString());
      expect([...seen.contents]).toEqual(['inside']);
      expect(refusals).toEqual(expect.arrayContaining([...seen.codes]));
    },
  );

  test('where links are followed, no read of a folder behind a link that is swapped leaves the root', async () => {
    await attack('dir', 'link');
    const seen = await hammer(reads, async () => (await following.at('to-dir/x').readBytes()).toString());
    expect([...seen.contents]).toEqual(['inside']);
    expect(refusals).toEqual(expect.arrayContaining([...seen.codes]));
  });

  test('where links are followed, no write lands outside', async () => {
    await attack('to-dir', 'link');
    let made = 0;
    await hammer(writes, async () => {
      const place = following.at(`to-dir/new-${made >> 1}`);
      await (made++ % 2 === 0 ? place.create('written') : place.replace('again'));
      return 'written';
    });
    expect(readdirSync(outside).sort()).toEqual(['only-outside', 'x']);
    expect(readFileSync(join(outside, 'x'), 'utf8')).toBe('secret');
  });

  test('no write into a swapped folder lands outside', async () => {
    await attack('dir', 'link');
    let made = 0;
    const seen = await hammer(writes, async () => {
      const place = folder.at(`dir/new-${made >> 1}`);
      await (made++ % 2 === 0 ? place.create('written') : place.replace('again'));
      return 'written';
    });
    expect([...seen.contents]).toEqual(['written']);
    expect(readdirSync(outside).sort()).toEqual(['only-outside', 'x']);
    expect(readFileSync(join(outside, 'x'), 'utf8')).toBe('secret');
  });

  test('no write to a swapped file lands outside', async () => {
    await attack('leaf', 'leaf-link');
    const seen = await hammer(writes, async () => {
      // A write that meets the link at its last step takes its place: set up both anew.
      writeFileSync(join(root, 'fresh'), 'inside');
      renameSync(join(root, 'fresh'), join(root, 'leaf'));
      symlinkSync(join(outside, 'x'), join(root, 'fresh-link'));
      renameSync(join(root, 'fresh-link'), join(root, 'leaf-link'));
      await folder.at('leaf').replace('inside');
      return 'written';
    });
    expect(refusals).toEqual(expect.arrayContaining([...seen.codes]));
    expect(readFileSync(join(outside, 'x'), 'utf8')).toBe('secret');
  });
});

/** Sets the stage anew and starts swapping `one` and `other`. */
async function attack(one: string, other: string): Promise<void> {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true });
  rmSync(outside, { recursive: true });
  setStage();
  attacker = spawn(swap, [join(root, one), join(root, other)], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(attacker.stdout as NodeJS.ReadableStream, 'data');
}

/** Tries until it was let in and refused, `times` at least: then the swaps have met it. */
async function hammer(times: number, attempt: () => Promise<string>) {
  const contents = new Set<string>();
  const codes = new Set<string>();
  const counts = { done: 0, refused: 0 };
  const deadline = Date.now() + 30_000;
  while (
    counts.done + counts.refused < times ||
    (Date.now() < deadline && (!counts.done || !counts.refused))
  ) {
    try {
      contents.add(await attempt());
      counts.done++;
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      codes.add(error.code);
      counts.refused++;
    }
    // The attacker's pipe and the runner want a turn, too.
    if ((counts.done + counts.refused) % 500 === 0) await new Promise(setImmediate);
  }
  if (isFull) console.log(`${expect.getState().currentTestName}: ${JSON.stringify(counts)}`);
  expect(counts.done).toBeGreaterThan(0);
  expect(counts.refused).toBeGreaterThan(0);
  return { contents, codes };
}

function setStage(): void {
  mkdirSync(join(root, 'dir'), { recursive: true });
  mkdirSync(outside, { recursive: true });
  writeFileSync(join(root, 'dir/x'), 'inside');
  writeFileSync(join(root, 'leaf'), 'inside');
  writeFileSync(join(outside, 'x'), 'secret');
  writeFileSync(join(outside, 'only-outside'), '');
  symlinkSync('dir', join(root, 'to-dir'));
  symlinkSync('leaf', join(root, 'to-leaf'));
  symlinkSync(outside, join(root, 'link'));
  symlinkSync(join(outside, 'x'), join(root, 'leaf-link'));
}

function openRoot() {
  setStage();
  return openWorkspace({ roots: [{ path: root, writable: true }] });
}
