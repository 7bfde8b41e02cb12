import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RawClient } from '../client.ts';
import { atMost, type Growth, medianOf, type Row } from '../measure.ts';
import { coding, openOurs, residentMiB } from '../world.ts';

const line = `${'x'.repeat(79)}\n`;

export const rows: readonly Row[] = [
  {
    name: 'memory-growth',
    async run() {
      const many = 100_000;
      const world = await openOurs({ files: { 'a.txt': line.repeat(50) } });
      await callOften(world.ours, 1000);
      const early = residentMiB(world.ours.pid);
      await callOften(world.ours, many - 1000);
      const late = residentMiB(world.ours.pid);
      await world.close();
      const row = `resident memory after ${many.toLocaleString('en')} calls`;
      return [atMost(row, 'after 1,000 calls', 1.2, { ours: late, theirs: early }, 'MiB')];
    },
  },
  {
    name: 'sizes',
    async run() {
      const world = await openOurs({ config: coding });
      const { ours, root } = world;
      const read: Growth['points'][number][] = [];
      const edit: Growth['points'][number][] = [];
      for (const [size, lines] of [
        ['4 KB', 50],
        ['40 KB', 500],
        ['400 KB', 5000],
      ] as const) {
        writeFileSync(join(root, `${lines}.txt`), `n = 0\n${line.repeat(lines)}`);
        const path = `${lines}.txt`;
        read.push({
          size,
          ms: await medianOf(50, () => ours.call('file_read', { path, max_chars: 1_000_000 })),
        });
        let made = 0;
        const change = () =>
          ours.call('edit_file', { path, old_string: `n = ${made}\n`, new_string: `n = ${++made}\n` });
        edit.push({ size, ms: await medianOf(30, change) });
      }
      const list: Growth['points'][number][] = [];
      const write: Growth['points'][number][] = [];
      const names: Growth['points'][number][] = [];
      for (const count of [100, 1000, 10_000]) {
        const folder = `of-${count}`;
        mkdirSync(join(root, folder));
        for (let file = 0; file < count; file++) writeFileSync(join(root, folder, `f${file}`), '');
        const size = `${count.toLocaleString('en')} entries`;
        let made = 0;
        list.push({
          size,
          ms: await medianOf(20, () => ours.call('list_files', { path: folder, limit: 20_000 })),
        });
        names.push({
          size,
          ms: await medianOf(10, () => ours.call('glob', { path: folder, pattern: '**' })),
        });
        const add = () => ours.call('file_write', { path: `${folder}/new-${made++}`, content: line });
        write.push({ size, ms: await medianOf(50, add) });
      }
      const served: Growth['points'][number][] = [];
      for (const count of [1000, 10_000, 20_000]) {
        await callOften(ours, count - (served.length === 0 ? 0 : count / 2), '50.txt');
        const size = `about ${count.toLocaleString('en')} calls in the log`;
        served.push({ size, ms: await medianOf(200, () => ours.call('file_read', { path: '50.txt' })) });
      }
      await world.close();
      return [
        { operation: 'read a file', points: read },
        { operation: 'edit a file', points: edit },
        { operation: 'list a folder', points: list },
        { operation: 'find names in a folder', points: names },
        { operation: 'write a new file into a folder', points: write },
        { operation: 'read 4 KB, by number of earlier calls', points: served },
      ];
    },
  },
];

async function callOften(server: RawClient, calls: number, path = 'a.txt'): Promise<void> {
  let left = calls;
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      while (left-- > 0) await server.call('file_read', { path });
    }),
  );
  await sleep(500);
}
