import { setTimeout as sleep } from 'node:timers/promises';
import { percentile, type Row, timed, within } from '../measure.ts';
import { coding, openOurs } from '../world.ts';

export const rows: readonly Row[] = [
  {
    name: 'ping',
    async run() {
      const line = `${'x'.repeat(79)}\n`;
      const world = await openOurs({
        files: { 'a.txt': line.repeat(50), 'big.txt': line.repeat(800_000), 'edit.txt': 'n = 0\n' },
        config: coding,
      });
      const { ours } = world;
      let isOver = false;
      let count = 0;
      const work: readonly (() => Promise<unknown>)[] = [
        () => ours.call('file_read', { path: 'a.txt' }),
        () => ours.call('file_read', { path: 'big.txt', start_line: 700_000, end_line: 700_100 }),
        () => ours.call('file_write', { path: `new-${count++}.txt`, content: line }),
        () => ours.call('write_file', { path: 'edit.txt', content: `n = ${count++}\n` }),
        () => ours.call('list_files', { path: '.' }),
        () => ours.call('glob', { pattern: '**/*.txt' }),
        () => ours.call('grep', { pattern: 'n = ' }),
        () => ours.call('shell_exec', { command: 'true' }),
        () => ours.call('remember', { content: `Number ${count++} was thought of.` }),
        () => ours.call('recall', { query: 'number' }),
      ];
      for (const one of work) await one();
      const busy = work.map(async (one) => {
        for (; !isOver; await sleep(5)) await one();
      });
      const times: number[] = [];
      for (let round = 0; round < 600; round++) {
        times.push(await timed(() => ours.request('ping', {})));
        await sleep(5);
      }
      isOver = true;
      await Promise.all(busy);
      await world.close();
      return [within('ping while ten other operations run, p99', 5, percentile(times, 0.99))];
    },
  },
  {
    name: 'hundred',
    async run() {
      const world = await openOurs();
      const commands = Array.from({ length: 50 }, async (_, call) => {
        const result = await world.ours.call('shell_exec', { command: `echo out-${call}` });
        return (result.structuredContent as { stdout: string }).stdout === `out-${call}\n`;
      });
      const writes = Array.from({ length: 50 }, async (_, call) => {
        const path = `f${call}.txt`;
        await world.ours.call('file_write', { path, content: `in-${call}` });
        const result = await world.ours.call('file_read', { path });
        return (result.structuredContent as { content: string }).content === `in-${call}`;
      });
      const answers = await Promise.allSettled([...commands, ...writes]);
      const lost = answers.filter((answer) => answer.status === 'rejected' || !answer.value).length;
      await world.close();
      return [within('100 calls at once, outputs lost', 0, lost, 'count')];
    },
  },
];
