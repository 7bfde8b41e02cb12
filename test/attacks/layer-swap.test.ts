import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { createInTurn } from '../../src/command/layer/land.ts';
import { openMakers } from '../../src/command/layer/obeyed/makers.ts';
import { openLayer } from '../../src/command/layer/open.ts';
import { linux, needs, programs } from '../support/needs.ts';

/* Row: a folder is swapped for a link while what a command did lands. */

const tries = process.env.SEKISHO_HAMMER ? 100_000 : 500;
const base = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-layer-swap-')));
const [root, outside, swap] = [join(base, 'root'), join(base, 'outside'), join(base, 'swap')];
let attacker: ChildProcess | undefined;

// After each try of the test, for one that is made again starts another.
afterEach(async () => {
  if (!attacker) return;
  const ended = once(attacker, 'exit');
  attacker.kill('SIGKILL');
  await ended;
  attacker = undefined;
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

test(`${tries} landings into a folder that is swapped for a link reach nothing behind it`, {
  timeout: 7_200_000,
  ...needs(linux(), programs('gcc')),
}, async () => {
  execFileSync('gcc', ['-O1', '-o', swap, join(import.meta.dirname, '../files/fixtures/swap.c')]);
  setStage();
  attacker = spawn(swap, [join(root, 'dir'), join(root, 'link')], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(attacker.stdout as NodeJS.ReadableStream, 'data');
  const inTurn = createInTurn();
  const counts = { landed: 0, stopped: 0 };
  for (let round = 0; round < tries; round++) {
    // Nothing is marked on this layer.
    const layer = openLayer(join(base, 'layers'), [root], {
      marks: { read: () => undefined, remove() {}, attributes: () => '', isBeingWritten: () => false },
      inTurn,
      makers: openMakers(join(base, 'makers')),
    });
    const upper = join(layer.overlays[0]?.upper ?? '', 'dir');
    mkdirSync(join(upper, 'in'), { recursive: true });
    writeFileSync(join(upper, 'x'), `landed ${round}`);
    writeFileSync(join(upper, `in/${round % 10}`), 'landed');
    try {
      await layer.land({ roots: [root], isProtected: () => false });
      counts.landed++;
    } catch {
      counts.stopped++;
    }
    await layer.close();
    if (round % 100 > 0) continue;
    assertUntouched();
    setStage();
  }
  assertUntouched();
  if (process.env.SEKISHO_HAMMER) console.log(counts);
  expect(counts.landed).toBeGreaterThan(0);
});

function assertUntouched(): void {
  expect(readdirSync(outside).toSorted()).toEqual(['in', 'x']);
  expect(readdirSync(join(outside, 'in'))).toEqual([]);
  expect(readFileSync(join(outside, 'x'), 'utf8')).toBe('secret');
}

/** A landing that wins against the swap leaves two folders: set up both names anew. */
function setStage(): void {
  // The attacker goes on meanwhile, so that this may follow the link itself: what lies behind it is made anew after.
  removeAmidSwaps();
  mkdirSync(join(outside, 'in'), { recursive: true });
  writeFileSync(join(outside, 'x'), 'secret');
  mkdirSync(join(root, 'dir'), { recursive: true });
  writeFileSync(join(root, 'dir/x'), 'inside');
  symlinkSync(outside, join(root, 'link'));
}

/** A name that was a folder when it was looked at may be the link when it is removed, and the other way round. */
function removeAmidSwaps(): void {
  for (let left = 1000; ; left--) {
    try {
      rmSync(root, { recursive: true, force: true });
      return;
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}
