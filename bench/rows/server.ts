import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startByProgram } from '../../src/cli/resident/program-file.ts';
import { startServer } from '../client.ts';
import { atMost, medians, type Row } from '../measure.ts';
import { filesystemOn, openWorld, oursOn, residentMiB } from '../world.ts';

const peerName = 'server-filesystem';

export const rows: readonly Row[] = [
  {
    name: 'start-up',
    async run() {
      const world = await openWorld({});
      const { root } = world;
      const folder = `${root}-start`;
      const start = async (command: [string, ...string[]]) => {
        const server = await startServer(command);
        await server.request('tools/list', {});
        server.close().catch(() => {});
      };
      const values = await medians(
        15,
        () => start(oursOn(root, folder)),
        () => start(filesystemOn(root)),
      );
      await world.close();
      return [atMost('spawn to the first `tools/list`', peerName, 0.55, values)];
    },
  },
  {
    name: 'joining',
    async run() {
      const { root, close } = await openWorld({});
      const home = `${root}-home`;
      mkdirSync(home);
      const [node = '', script = '', ...args] = oursOn(root, home).filter((word) => word !== '--alone');
      const { HOME } = process.env;
      process.env.HOME = home;
      const { command, args: more } = await startByProgram({ command: node, args: [script, ...args] });
      const start = async (given: [string, ...string[]]) => {
        const server = await startServer(given);
        await server.request('tools/list', {});
        return server;
      };
      const first = await start([command, ...more]);
      const values = await medians(
        15,
        async () => void (await start([command, ...more])).close().catch(() => {}),
        async () => void (await start(filesystemOn(root))).close().catch(() => {}),
      );
      await first.close();
      execFileSync(node, [script, 'stop', '--all']);
      process.env.HOME = HOME;
      await close();
      return [atMost('the same, with the shared server running', peerName, 0.03, values)];
    },
  },
  {
    name: 'memory',
    async run() {
      const world = await openWorld({ files: { 'a.txt': 'x' } });
      for (let round = 0; round < 100; round++) {
        await world.ours.call('file_read', { path: 'a.txt' });
        await world.peer.call('read_text_file', { path: `${world.root}/a.txt` });
      }
      await sleep(1000);
      const values = { ours: residentMiB(world.ours.pid), theirs: residentMiB(world.peer.pid) };
      await world.close();
      return [atMost('idle resident memory', peerName, 1.3, values, 'MiB')];
    },
  },
  {
    name: 'tools-list',
    async run() {
      const world = await openWorld({});
      const ours = JSON.stringify(await world.ours.request('tools/list', {})).length;
      const theirs = JSON.stringify(await world.peer.request('tools/list', {})).length;
      await world.close();
      return [
        {
          ...atMost('`tools/list` of the default toolsets', peerName, 1, { ours, theirs }, 'bytes'),
          goal: '≤ 16384 bytes',
          met: ours <= 16_384,
        },
      ];
    },
  },
];
