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
import { createLineClient } from '../support/clients.ts';
import { needs } from '../support/needs.ts';
import { startFile } from '../support/run-command.ts';
import { plantRepository, tree } from './layer-world.ts';

const kills = process.env.SEKISHO_HAMMER ? Number(process.env.SEKISHO_RUNS ?? 500) : 3;
const base = realpathSync(mkdtempSync('/var/tmp/sekisho-watched-killed-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const root = join(base, 'root');
const state = join(base, 'state');

/** Loses sixty files in several ways, or a repository. */
const programs = [
  'import glob, os\n[os.remove(path) for path in glob.glob("data/*")]\n',
  `import glob, os
for at, path in enumerate(sorted(glob.glob("data/*"))):
    if at % 3 == 0: open(path, "w").write("new " * 20)
    elif at % 3 == 1: open("t", "w").close() or os.rename("t", path)
    else: os.rename(path, path + ".old")
`,
  'import shutil\n[shutil.rmtree(".git/" + name) for name in ("logs", "objects", "refs")]\n',
];

/** What is kept of a command that runs; undefined before it has changed anything. */
function journalOf(): number {
  const watched = join(state, 'history/watched');
  if (!existsSync(watched)) return 0;
  return readdirSync(watched).reduce((sum, name) => {
    const path = join(watched, name, 'before');
    return sum + (existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0);
  }, 0);
}

describe('', needs(lackOfLayers), () => {
  test(`after ${kills} kills of a server whose command destroys files, the next one has all of them`, async () => {
    mkdirSync(join(root, 'data'), { recursive: true });
    plantRepository(root);
    for (let n = 0; n < 60; n++)
      writeFileSync(join(root, `data/${n}.csv`), `row ${n}: in so many words that it counts\n`);
    let changed = 0;
    for (let kill = 0; kill < kills; kill++) {
      writeFileSync(join(root, 'w.py'), programs[kill % programs.length] ?? '');
      const before = tree(root);
      const places = ['--root', root, '--state', state];
      const child = spawn(
        process.execPath,
        [startFile, 'serve', '--alone', '--profile', 'coding', ...places],
        {
          cwd: root,
          env: { HOME: state, PATH: process.env.PATH },
          stdio: ['pipe', 'pipe', 'ignore'],
        },
      );
      const exit = once(child, 'exit');
      const client = createLineClient(child.stdin, child.stdout);
      const clientInfo = { name: 'killed', version: '1' };
      await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
      client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      void client.call('bash', { command: 'python3 w.py', background: true });
      // While it goes on, or when it is held: of a repository, before the first object.
      const least = 1 + Math.floor(Math.random() * (kill % programs.length === 2 ? 4 : 18));
      await expect.poll(journalOf, { timeout: 120_000, interval: 1 }).toBeGreaterThanOrEqual(least);
      if (kill % 2 === 1) await sleep(Math.random() * 300);
      child.kill('SIGKILL');
      await exit;
      if (JSON.stringify(tree(root)) !== JSON.stringify(before)) changed += 1;
      const checkpoint = await openCheckpoint(loadSettings({ root, state }, { HOME: state }, root));
      try {
        const history = await checkpoint.rooms.history();
        await history.recovered();
        const { history: entries } = await checkpoint.store();
        const { folder } = await checkpoint.rooms.workspace();
        const who = { principal: 'person', sessionId: 'undo', tool: 'undo', auditId: '' };
        for (;;) {
          const [entry] = await entries.list({ standing: true, limit: 1 });
          if (entry?.action !== 'command') break;
          const steps = await history.undo(
            { auditId: entry.auditId },
            { folders: [folder], who, force: false },
          );
          expect(steps.filter(({ outcome }) => outcome === 'lost' || outcome === 'conflict')).toEqual([]);
        }
      } finally {
        await checkpoint.close();
      }
      expect(tree(root)).toEqual(before);
    }
    expect(changed).toBeGreaterThan(0);
  }, 3_600_000);
});
