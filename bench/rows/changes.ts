import { closeSync, fdatasyncSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '../client.ts';
import { atMost, medians, type Row } from '../measure.ts';
import { coding, filesystemOn, makeFolder, openOurs, openWorld } from '../world.ts';

const fourKiB = `${'0123456789abcde\n'.repeat(256)}`;
const peerName = 'server-filesystem';

export const rows: readonly Row[] = [
  {
    name: 'write-4k',
    async run() {
      const world = await openWorld({});
      let round = 0;
      const values = await medians(
        300,
        () => world.ours.call('file_write', { path: `a${round++}.txt`, content: fourKiB }),
        () => world.peer.call('write_file', { path: join(world.root, `b${round++}.txt`), content: fourKiB }),
      );
      assertFile(join(world.root, 'a0.txt'), fourKiB);
      await world.close();
      return [atMost('write a new 4 KiB file, durable and recorded', peerName, 1, values)];
    },
  },
  {
    name: 'write-durable',
    async run() {
      const world = await openWorld({});
      const disk = openDisk();
      let round = 0;
      const values = await medians(
        300,
        () => world.ours.call('file_write', { path: `a${round++}.txt`, content: fourKiB }),
        async () => disk.write(`b${round++}.txt`, fourKiB),
      );
      assertFile(join(world.root, 'a0.txt'), fourKiB);
      disk.close();
      await world.close();
      return [
        atMost(
          'write a new 4 KiB file, durable and recorded',
          'its three syncs, written by hand',
          2.5,
          values,
        ),
      ];
    },
  },
  {
    name: 'edit-200k',
    async run() {
      const line = `${'x'.repeat(79)}\n`;
      const content = `${line.repeat(1280)}port = 0\n${line.repeat(1280)}`;
      const world = await openOurs({ files: { 'a.txt': content, 'b.txt': content }, config: coding });
      const peer = await startServer(filesystemOn(world.root));
      const step = (made: number) => [`port = ${made}\n`, `port = ${made + 1}\n`] as const;
      let ourEdits = 0;
      let theirEdits = 0;
      const values = await medians(
        60,
        () => {
          const [old_string, new_string] = step(ourEdits++);
          return world.ours.call('edit_file', { path: 'a.txt', old_string, new_string });
        },
        () => {
          const [oldText, newText] = step(theirEdits++);
          return peer.call('edit_file', { path: join(world.root, 'b.txt'), edits: [{ oldText, newText }] });
        },
      );
      assertFile(join(world.root, 'a.txt'), content.replace('port = 0', `port = ${ourEdits}`));
      await peer.close();
      await world.close();
      return [atMost('edit a 200 KiB file', peerName, 1, values)];
    },
  },
];

/**
 * The least that the disk must do for a write that survives a power cut at every moment, and for its record: the content,
 * then the name, and a line of a log, each synced.
 */
function openDisk() {
  const { folder, remove } = makeFolder();
  const names = openSync(folder, 'r');
  const log = openSync(join(folder, 'log'), 'a');
  return {
    write(name: string, content: string) {
      const temporary = join(folder, `.${name}`);
      const fd = openSync(temporary, 'wx');
      writeSync(fd, content);
      fsyncSync(fd);
      closeSync(fd);
      renameSync(temporary, join(folder, name));
      fsyncSync(names);
      writeSync(log, `${name}\n`);
      fdatasyncSync(log);
    },
    close() {
      closeSync(names);
      closeSync(log);
      remove();
    },
  };
}

function assertFile(path: string, content: string): void {
  if (readFileSync(path, 'utf8') !== content) throw new Error(`${path} does not hold what was written`);
}
