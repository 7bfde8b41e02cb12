import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { onLayer } from './layer-world.ts';

/** Says of each change of `a.txt` what it reads then, and when. */
const watcher = `import { watch, readFileSync, writeFileSync } from 'node:fs';
let last = '';
watch('.', () => {
  const text = String(readFileSync('a.txt'));
  if (text !== last && text !== '') { console.log('saw', text.trim(), Date.now()); writeFileSync('out.txt', text); }
  last = text;
});
console.log('ready');
`;
const files = {
  'a.txt': 'one\n',
  'watch.mjs': watcher,
  'package.json': JSON.stringify({ scripts: { x: 'node watch.mjs --watch' } }),
  Makefile: 'up:\n\tnode watch.mjs --watch\n',
  'up.sh': '#!/bin/sh\nexec npm run x\n',
};

/** Starts a line in the foreground, from where it goes on in the background. */
async function start(line: string, patienceMs = 2000) {
  const world = await openTestCheckpoint({ ...onLayer, files });
  const begun = outputOf(await world.call('bash', { command: line }, { patienceMs }));
  const id = String(begun.process_id);
  let said = '';
  const until = async (words: RegExp) => {
    for (const end = Date.now() + 20_000; Date.now() < end; ) {
      const more = outputOf(await world.call('bash_output', { process_id: id, cursor: 0 }));
      said = String(more.output ?? more.stdout ?? '');
      if (words.test(said)) return said;
      await sleep(50);
    }
    return said;
  };
  return { world, until };
}

test.each([['make up'], ['./up.sh']])(
  'a watcher that "%s" starts sees what others change, and they what it writes',
  { ...needs(lackOfLayers), timeout: 60_000 },
  async (line) => {
    const { world, until } = await start(`chmod +x up.sh; ${line}`);
    await using _ = world;
    await until(/ready/);
    const path = join(world.root, 'a.txt');
    const edits: Readonly<Record<string, () => unknown>> = {
      tool: () => world.call('edit_file', { path: 'a.txt', old_string: 'one', new_string: 'tool' }),
      command: () => world.call('bash', { command: 'echo command > a.txt' }),
      place: () => writeFileSync(path, 'place\n'),
      rename: () => {
        writeFileSync(`${path}~`, 'rename\n');
        renameSync(`${path}~`, path);
      },
    };
    for (const [name, edit] of Object.entries(edits)) {
      await edit();
      const doneAt = Date.now();
      const said = await until(new RegExp(`saw ${name} `));
      const delayMs = Number(new RegExp(`saw ${name} (\\d+)`).exec(said)?.[1]) - doneAt;
      expect(delayMs, `${name}: ${said}`).toBeLessThan(1000);
    }
    expect(outputOf(await world.call('bash', { command: 'cat out.txt' })).stdout).toBe('rename\n');
  },
);
