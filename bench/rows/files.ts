import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atLeast, atMost, medianOf, medians, type Row, timed, within } from '../measure.ts';
import { assertHolds, openWorld } from '../world.ts';

const fourKiB = `${'0123456789abcde\n'.repeat(256)}`;
const peerName = 'server-filesystem';

export const rows: readonly Row[] = [
  {
    name: 'read-4k',
    async run() {
      const world = await openWorld({ files: { 'a.txt': fourKiB } });
      const path = join(world.root, 'a.txt');
      const ours = () => world.ours.call('file_read', { path: 'a.txt' });
      const theirs = () => world.peer.call('read_text_file', { path });
      assertHolds(await ours(), '0123456789abcde');
      const one = await medians(2000, ours, theirs);
      const oursBurst = await timed(() => burst(ours));
      const theirsBurst = await timed(() => burst(theirs));
      await world.close();
      const calls = 200 * 16;
      return [
        atMost('read a 4 KiB file', peerName, 0.8, one),
        atLeast('the same, 16 in flight', peerName, 1, {
          ours: (calls / oursBurst) * 1000,
          theirs: (calls / theirsBurst) * 1000,
        }),
      ];
    },
  },
  {
    name: 'read-5m',
    async run() {
      const line = `${'x'.repeat(79)}\n`;
      const world = await openWorld({ files: { 'big.txt': line.repeat(65_536) } });
      const path = join(world.root, 'big.txt');
      const whole = () => world.ours.call('file_read', { path: 'big.txt', max_chars: 8_000_000 });
      assertHolds(await whole(), 'x'.repeat(79).concat('\\n').repeat(65_535));
      const values = await medians(20, whole, () => world.peer.call('read_text_file', { path }));
      await world.close();
      return [atMost('read a 5 MiB file', peerName, 0.7, values)];
    },
  },
  {
    name: 'big-file',
    async run() {
      const world = await openWorld({});
      // As every client does before it calls.
      await world.ours.request('tools/list', {});
      const path = join(world.root, 'huge.txt');
      const lines = 6_250_000;
      const parts: string[] = [];
      for (let line = 1; line <= lines; line++) parts.push(`${String(line).padStart(79, ' ')}\n`);
      writeFileSync(path, parts.slice(0, lines / 2).join(''));
      writeFileSync(path, parts.slice(lines / 2).join(''), { flag: 'a' });
      parts.length = 0;
      const tail = () => world.ours.call('file_read', { path: 'huge.txt', start_line: lines - 99 });
      // The last line is asked for by its number, so the whole file is counted.
      const first = await timed(tail);
      const floor = await medianOf(3, async () => execFileSync('wc', ['-l', path]));
      assertHolds(await tail(), String(lines));
      const end = await medians(100, tail, () => world.peer.call('read_text_file', { path, tail: 100 }));
      const inMiddle = () =>
        world.ours.call('file_read', { path: 'huge.txt', start_line: lines / 2, end_line: lines / 2 + 99 });
      assertHolds(await inMiddle(), String(lines / 2 + 99));
      const middle = await medianOf(100, inMiddle);
      await world.close();
      return [
        atMost('100 lines at the end of a 500 MB file', peerName, 0.6, end),
        within('100 lines in its middle, read before', 1, middle),
        atMost('first read of it', 'wc -l', 1.3, { ours: first, theirs: floor }),
      ];
    },
  },
];

async function burst(call: () => Promise<unknown>): Promise<void> {
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let round = 0; round < 200; round++) await call();
    }),
  );
}
