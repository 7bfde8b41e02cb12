import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, type Row, within } from '../measure.ts';
import { openOurs } from '../world.ts';

const rounds = 5;

export const rows: readonly Row[] = [
  {
    name: 'cancel',
    async run() {
      const world = await openOurs();
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const seconds = secondsOf(round);
        const requestId = world.ours.begin('shell_exec', twoSleepers(seconds));
        await until(() => sleepersOf(seconds) >= 2);
        const cancelledMs = performance.now();
        world.ours.notify('notifications/cancelled', { requestId });
        await until(() => sleepersOf(seconds) === 0);
        times.push(performance.now() - cancelledMs);
      }
      await world.close();
      return [within('cancel, until the last process has ended', 500, median(times))];
    },
  },
  {
    name: 'client-gone',
    async run() {
      let left = 0;
      for (let round = 0; round < rounds; round++) {
        const seconds = secondsOf(100 + round);
        const world = await openOurs();
        world.ours.begin('shell_exec', twoSleepers(seconds));
        await until(() => sleepersOf(seconds) >= 2);
        world.ours.vanish();
        await sleep(2000);
        left += sleepersOf(seconds) + (isAlive(world.ours.pid) ? 1 : 0);
        await world.close();
      }
      return [within('processes left 2 s after the client disconnects', 0, left, 'count')];
    },
  },
];

/** A number that names this round's processes among all on the machine. */
function secondsOf(round: number): string {
  return `${40_000 + (process.pid % 10_000)}.${1000 + round}`;
}

function twoSleepers(seconds: string) {
  return { command: `sleep ${seconds} & sleep ${seconds}; wait` };
}

/** How many processes run this very `sleep`; the sandbox's own wrapper is not one. */
function sleepersOf(seconds: string): number {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${seconds}\0`;
    } catch {
      return false;
    }
  }).length;
}

function isAlive(pid: number): boolean {
  try {
    // A zombie has no command line: it waits for its parent, us, and holds nothing.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (const endMs = Date.now() + 20_000; !isSo(); await sleep(2)) {
    if (Date.now() > endMs) throw new Error('it did not happen within 20 s');
  }
}
