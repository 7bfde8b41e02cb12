import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { atMost, isFull, medianOf, medians, type Row, timed, within } from '../measure.ts';
import { assertHolds, openOurs } from '../world.ts';

// Ten million lines are a gigabyte.
const lines = isFull ? 10_000_000 : 1_000_000;
const size = isFull ? '1 GB' : '100 MB';
const lineOf = (line: number) =>
  `${String(line).padStart(10, '0')} ${'lorem ipsum dolor sit amet '.repeat(4).slice(0, 88)}`;

export const rows: readonly Row[] = [
  {
    name: 'vault-large',
    async run() {
      const world = await openOurs({ config: { toolsets: ['vault'], vault: { root: '.' } } });
      // As every client does before it calls.
      await world.ours.request('tools/list', {});
      const path = join(world.root, 'n.md');
      writeLines(path);
      const read = (start: number) =>
        world.ours.call('vault_read', { path: 'n.md', range: { start_line: start, end_line: start + 79 } });
      const first = await timed(() => read(lines - 79));
      const floor = await medianOf(3, async () => execFileSync('wc', ['-l', path]));
      assertHolds(await read(lines / 2), lineOf(lines / 2 + 79));
      const middle = await medianOf(100, () => read(lines / 2));
      await world.close();
      return [
        atMost(`first read of a ${size} note`, '`wc -l`', 1.3, { ours: first, theirs: floor }),
        within(`80 lines in its middle, read before`, 1, middle),
      ];
    },
  },
  {
    name: 'vault-search',
    async run() {
      const world = await openOurs({ config: { toolsets: ['vault'], vault: { root: '.' } } });
      for (let folder = 0; folder < 20; folder++) {
        mkdirSync(join(world.root, `f${folder}`));
        for (let note = 0; note < 100; note++) {
          const fd = openSync(join(world.root, `f${folder}/${note}.md`), 'w');
          writeSync(
            fd,
            `# Note ${note}\n\n${`${lineOf(note)}\n`.repeat(20)}${note === 50 ? 'a needle here\n' : ''}`,
          );
          closeSync(fd);
        }
      }
      const ours = () => world.ours.call('vault_search', { query: 'needle', limit: 50 });
      const { matches } = (await ours()).structuredContent as { matches: unknown[] };
      if (matches.length !== 20) throw new Error(`${matches.length} notes found of 20`);
      const values = await medians(15, ours, async () =>
        execFileSync('grep', ['-rin', 'needle', world.root]),
      );
      await world.close();
      return [atMost('search 2,000 notes', '`grep -rin`', 10, values)];
    },
  },
];

function writeLines(path: string): void {
  const fd = openSync(path, 'w');
  for (let line = 1; line <= lines; line += 10_000) {
    const part = Array.from(
      { length: Math.min(10_000, lines - line + 1) },
      (_, i) => `${lineOf(line + i)}\n`,
    );
    writeSync(fd, part.join(''));
  }
  closeSync(fd);
}
