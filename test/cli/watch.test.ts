import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';
import { startFile } from '../support/run-command.ts';
import { spawnInTerminal, type Terminal } from '../support/terminal.ts';

/** Keys that come too soon after a question are no answer to it: it is pressed until it is heard. */
async function press(terminal: Terminal, key: string, shown: string): Promise<void> {
  const timer = setInterval(() => terminal.type(key), 250);
  await terminal.until(shown);
  clearInterval(timer);
}

test('a person answers on the whole terminal, and has it back as it was', async () => {
  const world = await openTestCheckpoint({
    config: {
      rules: [{ tool: 'file_write', decision: 'ask', because: 'Writing is looked at.' }],
      approval: { waitMs: 600_000 },
    },
  });
  onTestFinished(world.close);
  const where = ['--root', world.root, '--config', join(world.folder, 'sekisho.jsonc')];
  const terminal = spawnInTerminal(
    [process.execPath, startFile, 'approve', '--watch', ...where, '--state', join(world.folder, 'state')],
    { env: { PATH: process.env.PATH, HOME: world.folder, LANG: 'C.UTF-8', TERM: 'xterm' } },
  );
  await terminal.until('\x1b[?1049h');
  await terminal.until('Nothing is waiting.');

  const allowed = world.call('file_write', { path: 'yes.txt', content: 'yes' });
  await terminal.until('1 question waiting');
  // What is pasted into this window is no answer.
  terminal.type('\x1b[200~y\x1b[201~');
  await press(terminal, 'y', 'Answered.');
  expect(await allowed).toMatchObject({ kind: 'output' });
  expect(readFileSync(join(world.root, 'yes.txt'), 'utf8')).toBe('yes');

  const denied = world.call('file_write', { path: 'no\x1b[2J.txt', content: 'no' });
  await terminal.until('1 question waiting');
  await press(terminal, 'i', 'Instead (Enter sends');
  terminal.type('\x15Write it to notes.txt.\r');
  await terminal.until('Answered.');
  expect(JSON.stringify(await denied)).toContain('Write it to notes.txt.');
  expect(existsSync(join(world.root, 'no.txt'))).toBe(false);

  terminal.type('q');
  expect(await terminal.ended).toBe(0);
  expect(terminal.shown().endsWith('\x1b[?1049l')).toBe(true);
  const acts = await (await world.checkpoint.store()).audit.search({ tool: 'sekisho approve', limit: 5 });
  expect(acts.map(({ transport }) => transport)).toEqual(['cli', 'cli']);
});
