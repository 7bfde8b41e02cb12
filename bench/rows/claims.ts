import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { openTeam, passkey, settle } from '../../test/team/people.ts';
import { atLeast, isFull, median, type Result, type Row, within } from '../measure.ts';
import { makeFolder } from '../world.ts';

const processes = 8;
const rounds = isFull ? 3 : 1;
const tasks = isFull ? 10_000 : 1000;
const claimant = join(import.meta.dirname, '../../test/team/claimant.ts');
const bareClaimant = join(import.meta.dirname, '../servers/bare-claims.ts');
const wantedPerSecond = 10_000;

export const rows: readonly Row[] = [
  {
    name: 'claims',
    async run() {
      const ours: Claimed[] = [];
      const bare: Claimed[] = [];
      for (let round = 0; round < rounds; round++) {
        ours.push(await claimAll((url, folder, id) => [claimant, url, folder, id, 'when-told-to']));
        bare.push(await claimAll((url, _, id) => [bareClaimant, url.replace('sqlite:', ''), id]));
      }
      const values = { ours: middle(ours), theirs: middle(bare) };
      const wrong = ours.reduce((sum, one) => sum + one.wrong, 0);
      const speed: Result = {
        row: `${tasks.toLocaleString('en')} task claims by ${processes} processes, each also finished`,
        unit: 'calls/s',
        ours: values.ours,
        goal: `≥ ${wantedPerSecond} calls/s`,
        met: values.ours >= wantedPerSecond,
      };
      return [
        speed,
        atLeast('the same', 'two bare statements, each synced by SQLite', 0.5, values),
        within('tasks claimed twice or never', 0, wrong, 'count'),
      ];
    },
  },
];

interface Claimed {
  readonly perSecond: number;
  /** Tasks that were claimed twice or never. */
  readonly wrong: number;
}

function middle(runs: readonly Claimed[]): number {
  return median(runs.map((run) => run.perSecond));
}

/** Has all tasks of a new project claimed and finished, by processes that begin together. */
async function claimAll(
  program: (url: string, folder: string, agentId: string) => readonly string[],
): Promise<Claimed> {
  const { folder, remove } = makeFolder();
  const url = `sqlite:${join(folder, 'sekisho.db')}`;
  const store = await openStore({ url, stateFolder: folder });
  await prepare(store);
  const owners = new Map<string, number>();
  const children: ChildProcessByStdio<Writable, Readable, null>[] = [];
  let firstMs = 0;
  let lastMs = 0;
  let ready = 0;
  await Promise.all(
    Array.from({ length: processes }, async (_, n) => {
      const child = spawn(process.execPath, program(url, folder, `p${n}`), {
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      children.push(child);
      const ended = once(child, 'exit');
      for await (const line of createInterface(child.stdout)) {
        const [what, id = ''] = line.split(' ');
        if (what === 'ready' && ++ready === processes) {
          firstMs = performance.now();
          for (const one of children) one.stdin.write('go\n');
        }
        if (what !== 'claimed') continue;
        owners.set(id, (owners.get(id) ?? 0) + 1);
        lastMs = performance.now();
      }
      await ended;
    }),
  );
  await store.close();
  remove();
  const wrong = [...owners.values()].filter((times) => times !== 1).length + tasks - owners.size;
  return { perSecond: (owners.size / (lastMs - firstMs)) * 1000, wrong };
}

async function prepare(store: Store): Promise<void> {
  const { admin } = openTeam(store);
  await settle(openTeam(store));
  for (let n = 0; n < processes; n++) {
    await admin.addAgent({ id: `p${n}`, name: 'P', hierarchy: 'worker', passkey, maxParallelTasks: 100 });
    await admin.assign(`p${n}`, 'p');
  }
  for (let task = 0; task < tasks; task++) await admin.addTask({ projectId: 'p', title: `Task ${task}` });
}
