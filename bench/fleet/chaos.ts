import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Trouble } from './fleet.ts';
import { type Line, openLine } from './line.ts';

/** Something that goes wrong. It begins at `beginsAtMs` and is over when `harm` resolves. */
export interface Scenario {
  readonly name: string;
  readonly harm: Trouble;
  /** From when on the rate must come back, in ms of the run. */
  readonly overAtMs: number;
  readonly seconds: number;
  readonly through?: (url: string, n: number) => Promise<string>;
  /** Where the database lies, if its disk matters. */
  readonly disk?: Disk;
  close?(): Promise<void>;
}

export const beginsAtMs = 8000;

/** All that is tried; `cutMs` is how long the network is away. */
export function scenarios(cutMs = 30_000): readonly (() => Scenario)[] {
  return [
    () => ({
      name: 'the database is restarted',
      ...times(2000),
      async harm({ database }) {
        await sleep(beginsAtMs);
        await database.halt('immediate');
        await sleep(1000);
        await database.start();
      },
    }),
    () => ({
      name: 'a server is killed, and another takes its place',
      ...times(2000),
      async harm({ restart }) {
        await sleep(beginsAtMs);
        await restart(0);
      },
    }),
    () => ({
      name: 'servers are killed while files are written',
      ...times(6000),
      async harm({ restart, nodes }) {
        await sleep(beginsAtMs);
        for (let round = 0; round < 4; round += 1) await restart(round % nodes.length);
      },
    }),
    () => ({
      name: 'a server is frozen for ten seconds',
      ...times(10_000),
      async harm({ nodes: [first] }) {
        await sleep(beginsAtMs);
        first?.pause();
        await sleep(10_000);
        first?.go();
      },
    }),
    () => ({
      name: 'all connections to the database are cut, five times',
      ...times(2500),
      async harm({ database }) {
        await sleep(beginsAtMs);
        for (let round = 0; round < 5; round += 1) {
          await database.query(
            `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'sekisho%'`,
          );
          await sleep(500);
        }
      },
    }),
    () => networkAway(cutMs),
    () => ({
      name: 'the clock of one server is an hour ahead',
      ...times(3000),
      async harm({ restart }) {
        await sleep(beginsAtMs);
        await restart(0, { preload: fileURLToPath(new URL('wrong-clock.ts', import.meta.url)) });
      },
    }),
    fullDisk,
  ];
}

function times(lastsMs: number) {
  const overAtMs = beginsAtMs + lastsMs;
  return { overAtMs, seconds: overAtMs / 1000 + 12 };
}

function networkAway(cutMs: number): Scenario {
  const lines: Line[] = [];
  return {
    name: `one server does not reach the database for ${cutMs / 1000} s`,
    ...times(cutMs),
    async through(url) {
      const line = await openLine(url);
      lines.push(line);
      return line.url;
    },
    async harm() {
      await sleep(beginsAtMs);
      lines[0]?.cut();
      await sleep(cutMs);
      lines[0]?.mend();
    },
    close: async () => {
      await Promise.all(lines.map((line) => line.close()));
    },
  };
}

/** A file system of its own that can be filled. */
export interface Disk {
  readonly folder: string;
  fill(): void;
  free(): void;
  unmount(): void;
}

function fullDisk(): Scenario {
  const disk = mountDisk(400);
  return {
    name: "the database's disk is full for five seconds",
    ...times(7000),
    disk,
    async harm({ database }) {
      await sleep(beginsAtMs);
      disk.fill();
      await sleep(5000);
      disk.free();
      // Without room for its log PostgreSQL gives up; whoever looks after it starts it again.
      await database.halt('immediate');
      await database.start();
    },
    close: async () => disk.unmount(),
  };
}

/** Needs the right to mount. */
function mountDisk(mebibytes: number): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=1777`, 'tmpfs', folder]);
  const ballast = join(folder, 'ballast');
  mkdirSync(ballast);
  return {
    folder,
    fill() {
      const { bavail, bsize } = statfsSync(folder);
      try {
        writeFileSync(join(ballast, 'full'), Buffer.alloc(Math.max(0, bavail * bsize - 4096)));
      } catch (error) {
        // The database wrote meanwhile: full is what it was to be.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    free: () => rmSync(join(ballast, 'full'), { force: true }),
    unmount() {
      execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true });
    },
  };
}
