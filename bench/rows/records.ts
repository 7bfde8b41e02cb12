import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { openStore } from '../../src/store/open-store.ts';
import { isFull, type Row, within } from '../measure.ts';
import { assertHolds, openOurs, processorMs } from '../world.ts';

const people = 'Ann Bob Carla Dmitri Elena Farid Greta Hiro Ines Jonas Keiko Liam Mona Nils Olga Pavel'.split(
  ' ',
);
const deeds = 'painted repaired bought sold lost found measured borrowed returned planted'.split(' ');
const things = 'bicycle violin tent camera telescope kayak lantern kettle ladder compass anvil clock'.split(
  ' ',
);
const places = 'Lisbon Sapporo Denver Kyoto Oslo Nairobi Quito Perth Gdansk Lima Bergen Turin'.split(' ');

export const rows: readonly Row[] = [
  {
    name: 'road',
    async run() {
      const script = join(import.meta.dirname, '../servers/road.ts');
      const output = execFileSync(process.execPath, [script], { encoding: 'utf8' });
      const { roadUs, bareUs } = JSON.parse(output) as { roadUs: number; bareUs: number };
      return [
        within('authorization, audit log and all other steps, CPU per call', 60, roadUs - bareUs, 'µs'),
      ];
    },
  },
  recallRow('recall-10k', 10_000, 6),
  recallRow('recall-100k', 100_000, 6),
  ...(isFull ? [recallRow('recall-1m', 1_000_000, 40)] : []),
  {
    name: 'recall-meaning',
    async run() {
      const script = join(import.meta.dirname, '../servers/meaning.ts');
      const points = [10_000, 100_000, ...(isFull ? [1_000_000] : [])].map((count) => {
        const output = execFileSync(process.execPath, [script, String(count)], { encoding: 'utf8' });
        const { ms, found } = JSON.parse(output) as { ms: number; found: number };
        if (found < 0.9) throw new Error(`only ${found} of the questions found their memory`);
        return { size: `${count.toLocaleString('en')} memories`, ms };
      });
      return [{ operation: 'find memories by meaning, CPU', points }];
    },
  },
];

/** Questions over so many memories of one user; what counts is the processor's time, which the noise of others spares. */
function recallRow(name: string, count: number, limitMs: number): Row {
  return {
    name,
    async run() {
      const world = await openOurs({
        config: { toolsets: ['assistant'] },
        prepare: (folder) => rememberMany(join(folder, 'state'), count),
      });
      const ask = (number: number) =>
        world.ours.call('recall', {
          query: `What did ${people[number % 16]} do with entry ${number} in ${places[number % 12]}?`,
        });
      const wanted = Math.floor(count / 2);
      assertHolds(await ask(wanted), factOf(wanted));
      const before = processorMs(world.ours.pid);
      const rounds = 100;
      for (let round = 1; round <= rounds; round++) await ask((round * 7919) % count);
      const each = (processorMs(world.ours.pid) - before) / rounds;
      await world.close();
      return [within(`\`recall\` in ${count.toLocaleString('en')} memories, CPU`, limitMs, each)];
    },
  };
}

function factOf(number: number): string {
  return `${people[number % 16]} ${deeds[number % 10]} the ${things[number % 12]} of entry ${number} in ${places[number % 12]}.`;
}

async function rememberMany(stateFolder: string, count: number): Promise<void> {
  const store = await openStore({ url: `sqlite:${join(stateFolder, 'sekisho.db')}`, stateFolder });
  const memories = store.memoriesFor('local');
  for (let first = 0; first < count; first += 1000) {
    await Promise.all(
      Array.from({ length: Math.min(1000, count - first) }, (_, i) =>
        memories.remember({ content: factOf(first + i), category: 'general', tags: [] }),
      ),
    );
  }
  await store.close();
}
