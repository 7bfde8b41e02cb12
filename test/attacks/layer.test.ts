import { execFileSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { marksIn, onLayer, runIn, tree } from '../effects/layer-world.ts';
import { needs } from '../support/needs.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';

/* Row: what a command left on its layer that no write would have been allowed, in kind, depth or number. */

const isFull = process.env.SEKISHO_HAMMER === '1';
const depth = isFull ? 10_000 : 400;
const files = isFull ? Number(process.env.SEKISHO_RUNS ?? 1_000_000) : 2000;

/** What is in a file is nobody's question: the judge does not see it. */
const unseen = 'import subprocess; subprocess.run(["bash", "evil.txt"])';

describe('a hostile program', needs(lackOfLayers), () => {
  test('changes nothing while it runs, and plants no link, device, right, hook or mark', async () => {
    await using world = await openTestCheckpoint({
      ...onLayer,
      files: { 'dir/x': 'x', 'plain.txt': 'p', 'evil.py': unseen },
    });
    const at = (path: string) => join(world.root, path);
    const git = (...args: string[]) => execFileSync('git', ['-C', world.root, ...args], { stdio: 'pipe' });
    git('init', '-q');
    git('config', 'user.name', 'Mai');
    git('config', 'user.email', 'mai@example.com');
    const secret = join(world.folder, 'secret');
    mkdirSync(secret);
    writeFileSync(join(secret, 'x'), 'secret');
    writeFileSync(
      at('evil.txt'),
      `rm -r dir; ln -s ${secret} dir; ln -sf ${secret}/x plain.txt; ln plain.txt hard
mknod dev c 1 3; mknod white c 0 0; mkfifo pipe; python3 -c 'import socket; socket.socket(1).bind("sock")'
cp /bin/true owner; chmod 4755 owner; python3 -c 'import os; os.chmod("owner", 0o4755); os.mkdir("group"); os.chmod("group", 0o2777)'
printf '#!/bin/sh\\ntouch ran\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git config core.hooksPath /tmp
mkdir -p inner && git init -q inner && printf '#!/bin/sh\\ntouch ../ran\\n' > inner/.git/hooks/post-checkout && chmod +x inner/.git/hooks/post-checkout
python3 - <<'P'
import os
os.makedirs("marked/in")
for mark in ("opaque", "redirect", "metacopy", "whiteout", "origin"):
    for path in ("marked", "marked/in", "."):
        try: os.setxattr(path, "user.overlay." + mark, b"y")
        except OSError: pass
P
echo made > made; sleep 3; true`,
    );
    await runIn(world, 'true');
    const before = tree(world.root);
    const running = runIn(world, 'python3 evil.py');
    // The last that it writes before it sleeps.
    const written = join(world.folder, 'state/layers/*/*/upper/made');
    await expect.poll(() => globSync(written).length).toBe(1);
    expect(tree(world.root)).toEqual(before);
    const { stderr } = await running;
    expect(stderr).toContain('left as it was, as commands make no such entry');
    expect(readFileSync(join(secret, 'x'), 'utf8')).toBe('secret');
    expect(readdirSync(secret)).toEqual(['x']);
    const special = execFileSync('bash', [
      '-c',
      'find "$1" -type c -o -type b -o -type p -o -type s -o -type f -perm /6000 -o -perm /4000',
      '-',
      world.root,
    ]);
    expect(special.toString()).toBe('');
    expect(marksIn(world.root)).toBe('');
    git('add', 'made');
    git('commit', '-qm', 'a person');
    git('-C', 'inner', 'status');
    expect([existsSync(at('ran')), existsSync(at('inner/.git/hooks/post-checkout'))]).toEqual([false, false]);
    expect(lstatSync(at('made')).isFile()).toBe(true);
  });

  test(`a tree ${depth} deep lands as far as a landing goes, which is said, and the next command runs`, async () => {
    await using world = await openTestCheckpoint({ ...onLayer, files: { 'there/x': 'x' } });
    const dig = `import os
for top in ("new", "there"):
    os.makedirs(top, exist_ok=True)
    here = os.open(top, os.O_RDONLY)
    for at in range(${depth}):
        os.mkdir("a", dir_fd=here)
        below = os.open("a", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)`;
    writeFileSync(join(world.root, 'dig.py'), dig);
    const { exit_code: code, stderr } = await runIn(world, 'python3 dig.py && echo done > done');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('none so deep (200 folders), and change nothing in a vault'),
    });
    expect(readFileSync(join(world.root, 'done'), 'utf8')).toBe('done\n');
    expect((await runIn(world, 'cat there/x; rm -r new there; ls')).stdout).toBe('xdig.py\ndone\n');
  }, 600_000);

  test(`${files} files land while others are served, and what is not written down of them is said`, async () => {
    await using world = await openTestCheckpoint(onLayer);
    await runIn(world, 'true');
    writeFileSync(
      join(world.root, 'make.py'),
      `import os
for at in range(${files}):
    if at % 1000 == 0: os.makedirs(f"many/{at // 1000}")
    open(f"many/{at // 1000}/{at}", "w").close()`,
    );
    const running = runIn(world, 'python3 make.py', { timeout: 3600 });
    let served = 0;
    let isOver = false;
    void running.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await world.call('read_file', { path: 'make.py' });
      served++;
      await sleep(20);
    }
    const { exit_code: code, stderr } = await running;
    const told = isFull ? expect.stringContaining('paths are not written down; undo leaves them') : '';
    expect({ code, stderr }).toEqual({ code: 0, stderr: told });
    expect(served).toBeGreaterThan(0);
    const shelves = readdirSync(join(world.root, 'many'));
    expect(shelves.reduce((sum, shelf) => sum + readdirSync(join(world.root, 'many', shelf)).length, 0)).toBe(
      files,
    );
  }, 3_600_000);
});
