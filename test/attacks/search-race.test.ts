import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import { openWorkspace } from '../../src/files/workspace.ts';
import { createSearch } from '../../src/search/search.ts';

const rounds = process.env.SEKISHO_HAMMER ? 1000 : 60;

/** Swaps a folder for a link to the outside and back, as fast as a program can. */
const swapper = `
const fs = require('node:fs');
const [inside, aside, link] = process.argv.slice(1);
process.stdout.write('on');
for (;;) {
  fs.renameSync(inside, aside); fs.renameSync(link, inside);
  fs.renameSync(inside, link); fs.renameSync(aside, inside);
}`;

test('a folder that is swapped for a link while ripgrep walks shows nothing of the outside', async () => {
  const base = mkdtempSync(join(tmpdir(), 'search-race-'));
  const root = join(base, 'root');
  const outside = join(base, 'outside');
  for (const folder of [join(root, 'a', 'sub'), join(outside, 'sub')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, 'a', 'sub', 'mine.txt'), 'treasure of mine\n');
  writeFileSync(join(outside, 'sub', 'theirs.txt'), 'treasure of theirs\n');
  execFileSync('ln', ['-s', outside, join(root, 'link')]);
  const workspace = openWorkspace({ roots: [{ path: root, writable: true }] });
  const commands = new CommandRunner({ roots: [{ hostPath: root, writable: true }], sandbox: 'required' });
  const walls = (await commands.status()).some(({ works }) => works);
  const search = createSearch({ confined: () => commands.stages() })('s');
  const swap = spawn(process.execPath, [
    '-e',
    swapper,
    join(root, 'a'),
    join(root, 'aside'),
    join(root, 'link'),
  ]);
  try {
    await new Promise((started) => swap.stdout.once('data', started));
    const signal = new AbortController().signal;
    const found = new Set<string>();
    for (let round = 0; round < (walls ? rounds : 0); round++) {
      const query = {
        pattern: 'treasure',
        output: 'content',
        limit: 10,
        includeIgnored: true,
        signal,
      } as const;
      const below = round % 2 === 0 ? workspace.folder.at('.') : workspace.folder.at('a');
      const lines = await search.content({ ...query, below }).then(
        (matches) => matches.lines,
        (error: { code?: string }) => {
          // While the link stands there the walk refuses it, and while neither does there is nothing.
          if (error.code === 'forbidden' || error.code === 'not_found') return [];
          throw error;
        },
      );
      for (const { text } of lines) found.add(text);
    }
    expect([...found].filter((text) => text.includes('theirs'))).toEqual([]);
  } finally {
    swap.kill('SIGKILL');
    await new Promise((ended) => swap.once('exit', ended));
    await commands.close();
    workspace.close();
    rmSync(base, { recursive: true, force: true });
  }
});
