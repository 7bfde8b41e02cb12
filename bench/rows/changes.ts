import { closeSync, fdatasyncSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '../client.ts';
import { atMost, medians, type Row } from '../measure.ts';
import { coding, filesystemOn, makeFolder, openOurs, openWorld, type RawClient } from '../world.ts';

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
    name: 'overwrite-4k',
    async run() {
      const world = await openOurs({ files: { 'a.txt': '', 'b.txt': '' }, config: coding });
      const peer = await startServer(filesystemOn(world.root));
      const disk = openDisk();
      let round = 0;
      const content = () => `${round++}\n${fourKiB}`;
      const ours = () => world.ours.call('write_file', { path: 'a.txt', content: content() });
      const peers = () => peer.call('write_file', { path: join(world.root, 'b.txt'), content: content() });
      const besidePeer = await medians(200, ours, peers);
      const besideDisk = await medians(200, ours, async () => disk.write('b.txt', content()));
      if (!readFileSync(join(world.root, 'a.txt'), 'utf8').endsWith(fourKiB)) throw new Error('not written');
      disk.close();
      await peer.close();
      await world.close();
      const row = 'overwrite a 4 KiB file, durable, recorded, the former content kept';
      return [
        atMost(row, peerName, 2, besidePeer),
        atMost(row, 'its three syncs, written by hand', 1.3, besideDisk),
      ];
    },
  },
  {
    name: 'edit-nothing',
    async run() {
      const line = (at: number) => `const value${at} = compute(${at}, "${'x'.repeat(40)}");\n`;
      const content = Array.from({ length: 2500 }, (_, at) => line(at)).join('');
      const world = await openOurs({ files: { 'a.txt': content }, config: coding });
      const peer = await startServer(filesystemOn(world.root));
      const absent = line(1200).replace('compute', 'computed');
      const ours = () => refused(world.ours, { path: 'a.txt', old_string: absent, new_string: 'x' });
      const edits = [{ oldText: absent, newText: 'x' }];
      const theirs = () => refused(peer, { path: join(world.root, 'a.txt'), edits });
      const values = await medians(60, ours, theirs);
      await peer.close();
      await world.close();
      return [atMost('an edit whose text is nowhere in a 160 KiB file', peerName, 2, values)];
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

/** An edit that must fail. */
async function refused(server: RawClient, input: object): Promise<void> {
  const refusal = await server.call('edit_file', input).catch((error: unknown) => error);
  if (!(refusal instanceof Error)) throw new Error(`it was edited: ${JSON.stringify(refusal).slice(0, 200)}`);
}

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
