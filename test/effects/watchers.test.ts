import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs, programs } from '../support/needs.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { onLayer } from './layer-world.ts';

const probe = readFileSync(new URL('inotify-probe.py', import.meta.url));

/** Watches what leads out of its folders, while it swaps one that it may watch for a link that leads out. */
const spy = `import ctypes, os, sys, threading, time
libc = ctypes.CDLL(None)
fd = libc.inotify_init1(0o4000)
out = sys.argv[1]
paths = [out, 'link', 'link/secret', '/', '..', '../outside', '/proc/1/root' + out, '/proc/self/root' + out, '.']
os.mkdir('swap')
def swap():
    while True:
        os.rmdir('swap'); os.symlink(out, 'swap'); time.sleep(.0005); os.unlink('swap'); os.mkdir('swap')
threading.Thread(target=swap, daemon=True).start()
heard = set()
end = time.time() + 3
while time.time() < end:
    for path in paths + ['swap'] * 20: libc.inotify_add_watch(fd, path.encode(), 0x3ca)
    try:
        while True:
            read = os.read(fd, 65536)
            heard |= {name for name in (b'a.txt', b'secret') if name in read}
    except BlockingIOError: pass
print(heard)
`;

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
  return { world, id, until };
}

/** Changes `a.txt` in each way, and expects the watcher to say so soon. */
async function seesEdits({ world, until }: Awaited<ReturnType<typeof start>>, mostMs: number) {
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
    expect(delayMs, `${name}: ${said}`).toBeLessThan(mostMs);
  }
}

test.each([['make up'], ['./up.sh']])(
  'a watcher that "%s" starts sees what others change, and they what it writes',
  { ...needs(lackOfLayers), timeout: 120_000 },
  async (line) => {
    const started = await start(`chmod +x up.sh; ${line}`);
    const { world, until } = started;
    await using _ = world;
    await until(/ready/);
    await seesEdits(started, 1000);
    expect(outputOf(await world.call('bash', { command: 'cat out.txt' })).stdout).toBe('rename\n');
  },
);

test('a watcher that no words tell sees on its layer what others change, and they what it wrote once it ends', {
  ...needs(lackOfLayers),
  timeout: 120_000,
}, async () => {
  const started = await start('node watch.mjs');
  const { world, until } = started;
  await using _ = world;
  await until(/ready/);
  await seesEdits(started, 1000);
  expect(existsSync(join(world.root, 'out.txt'))).toBe(false);
  await world.call('bash_kill', { process_id: started.id });
  expect(readFileSync(join(world.root, 'out.txt'), 'utf8')).toBe('rename\n');
});

test('inotify answers and reports on a layer what it does without one', {
  ...needs(lackOfLayers, programs('python3')),
  timeout: 120_000,
}, async () => {
  const begin = { 'd/f': 'a', g: 'g', 'many/0': '', 'probe.py': probe };
  await using world = await openTestCheckpoint({ ...onLayer, files: begin });
  symlinkSync('d', join(world.root, 'l'));
  const ran = outputOf(await world.call('bash', { command: 'python3 probe.py' }, { patienceMs: 3_600_000 }));
  expect(readdirSync(join(world.root, 'many'))).toHaveLength(300);
  await using plain = await openTestCheckpoint({ files: begin });
  symlinkSync('d', join(plain.root, 'l'));
  const without = execFileSync('python3', ['probe.py'], { cwd: plain.root, encoding: 'utf8' });
  expect(ran.stdout).toBe(without);
});

test('a program on a layer learns nothing of what others do outside of its folders', {
  ...needs(lackOfLayers, programs('python3')),
  timeout: 120_000,
}, async () => {
  await using world = await openTestCheckpoint({ ...onLayer, files: { 'spy.py': spy, 'a.txt': '' } });
  const outside = join(world.folder, 'outside');
  mkdirSync(outside);
  symlinkSync(outside, join(world.root, 'link'));
  const call = world.call('bash', { command: `python3 spy.py ${outside}` }, { patienceMs: 3_600_000 });
  const writing = setInterval(() => {
    writeFileSync(join(outside, 'secret'), '');
    writeFileSync(join(world.root, 'a.txt'), 'more');
  }, 50);
  const ran = outputOf(await call);
  clearInterval(writing);
  expect(ran.stdout).toBe("{b'a.txt'}\n");
});
