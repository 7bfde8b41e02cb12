import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/open-checkpoint.ts';
import { loadSettings } from '../../src/config/load.ts';
import { lackOfLayers } from '../command/working-layers.ts';
import { childrenOf } from '../support/children.ts';
import { needs } from '../support/needs.ts';

const kills = process.env.SEKISHO_HAMMER ? Number(process.env.SEKISHO_RUNS ?? 500) : 3;
const random = randomFrom(Number(process.env.SEKISHO_SEED ?? 20_261_128));
const base = realpathSync(mkdtempSync('/var/tmp/sekisho-layer-killed-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const root = join(base, 'root');
const state = join(base, 'state');

/**
 * Kills the server with all that it started: while it lands, anywhere, or after what it runs was killed alone. Says
 * whether it was landing.
 */
async function runAndKill(kill: number): Promise<boolean> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'landing-loop.ts'), root, state], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  try {
    await Promise.race([once(child.stdout, 'data'), exit]);
    if (kill % 3 === 0) {
      const deadline = Date.now() + 20_000;
      while (!isLanding() && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
      const spin = performance.now() + random() * 4;
      while (performance.now() < spin);
    } else await sleep(random() * 400);
    if (kill % 3 === 1) {
      for (const pid of childrenOf(child.pid ?? 0)) killIfThere(pid);
      await sleep(random() * 100);
    }
  } finally {
    child.kill('SIGKILL');
  }
  const wasLanding = isLanding();
  await exit;
  return wasLanding;
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** From 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function isLanding(): boolean {
  const layers = join(state, 'layers');
  return readdirSync(layers).some((name) => existsSync(join(layers, name, 'landing.json')));
}

/** Every mark that is found: one, where each command is whole or not there. */
function marks(): ReadonlySet<string> {
  const gone = readdirSync(root).filter((name) => name.startsWith('gone-'));
  const files = [
    ...readdirSync(join(root, 'many')).map((name) => `many/${name}`),
    'turns/in/mark',
    'mark',
    ...gone,
  ];
  return new Set([
    ...files.map((path) => readFileSync(join(root, path), 'utf8').trim()),
    ...gone.map((name) => name.slice(5)),
  ]);
}

describe('', needs(lackOfLayers), () => {
  test(`after ${kills} kills each command is whole or not there, and the history says which`, async () => {
    mkdirSync(join(root, 'many'), { recursive: true });
    mkdirSync(join(root, 'turns/in'), { recursive: true });
    for (const path of [
      ...Array.from({ length: 40 }, (_, at) => `many/${at + 1}`),
      'turns/in/mark',
      'mark',
      'gone-0-0',
    ])
      writeFileSync(join(root, path), '0-0\n');
    let landing = 0;
    for (let kill = 0; kill < kills; kill++) {
      if (await runAndKill(kill)) landing++;
      const checkpoint = await openCheckpoint(loadSettings({ root, state }, { HOME: state }, root));
      try {
        await (await checkpoint.rooms.history()).recovered();
        const found = [...marks()];
        expect({ kill, found }).toEqual({ kill, found: [expect.any(String)] });
        const { history } = await checkpoint.store();
        const [last] = await history.list({ at: { root, path: 'mark' }, limit: 1 });
        const content =
          last &&
          (await (
            await checkpoint.rooms.history()
          ).content(last, 'after', [(await checkpoint.rooms.workspace()).folder]));
        expect({ kill, said: content?.toString('utf8').trim() }).toEqual({ kill, said: found[0] });
        expect(
          readdirSync(join(state, 'layers')).filter((name) =>
            existsSync(join(state, 'layers', name, 'landing.json')),
          ),
        ).toEqual([]);
      } finally {
        await checkpoint.close();
      }
    }
    if (process.env.SEKISHO_HAMMER) console.log({ kills, landing });
  }, 7_200_000);
});
