import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/open-checkpoint.ts';
import { loadSettings } from '../../src/config/load.ts';
import { plantTree, treeOf } from './tree.ts';

const kills = process.env.SEKISHO_HAMMER ? 30 : 3;
const base = mkdtempSync(join(tmpdir(), 'history-killed-'));
const root = join(base, 'root');
const state = join(base, 'state');
mkdirSync(root);
plantTree(root);
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Runs the fixture and kills it somewhere after its first change; without a time, lets it end. Says what it printed. */
async function runAndKill(what: 'write' | 'undo', afterMs?: number) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'until-killed.ts'), what, root, state], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  let said = '';
  child.stdout.on('data', (words: Buffer) => {
    said += words;
  });
  await Promise.race([once(child.stdout, 'data'), exit]);
  if (afterMs === undefined) await exit;
  else await sleep(afterMs);
  child.kill('SIGKILL');
  await exit;
  return { said };
}

test('killed while writing and while taking back, everything is taken back in the end', async () => {
  const original = treeOf(root);
  let written = 0;
  for (let kill = 0; kill < kills; kill++) {
    const { said } = await runAndKill('write', (kill * 17) % 60);
    written += said.length;
  }
  expect(treeOf(root)).not.toEqual(original);

  for (let kill = 0; kill <= kills; kill++) {
    const undoing = await runAndKill('undo', kill < kills ? 3 + ((kill * 13) % 80) : undefined);
    // No conflict: what a killed one had begun is known to the next.
    expect(undoing.said).not.toContain('conflict');
    expect(undoing.said).not.toContain('lost');
  }
  expect(treeOf(root)).toEqual(original);
  if (process.env.SEKISHO_HAMMER) console.log({ kills, written });

  const checkpoint = await openCheckpoint(loadSettings({ root, state }, { HOME: state }, root));
  try {
    const { history } = await checkpoint.store();
    expect(await history.list({ sessionId: 'killed', standing: true, limit: 10 })).toEqual([]);
    expect(await (await checkpoint.store()).audit.verify()).toMatchObject({ ok: true });
  } finally {
    await checkpoint.close();
  }
}, 300_000);
