import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atMost, medians, type Row } from '../measure.ts';
import { assertHolds, openOurs } from '../world.ts';

const run = promisify(execFile);
const maxBuffer = 1 << 24;

export const rows: readonly Row[] = [
  {
    name: 'run-true',
    async run() {
      const world = await openOurs();
      const ours = () => world.ours.call('shell_exec', { command: 'true' });
      assertHolds(await ours(), '"exitCode":0');
      const values = await medians(60, ours, () => run('true'));
      await world.close();
      return [atMost('run `true`, judged and sandboxed', 'a bare spawn', 2.5, values)];
    },
  },
  {
    name: 'dry-run',
    async run() {
      const world = await openOurs();
      const command = 'for i in $(seq 100); do echo $i >file$i; done';
      const ours = () => world.ours.call('shell_exec', { command, dry_run: true });
      const theirs = () => run('bash', ['-c', command], { cwd: world.folder });
      assertHolds(await ours(), 'created file100 (+1)');
      const values = await medians(30, ours, theirs);
      await world.close();
      return [atMost('a dry run that writes 100 files, with its diff', 'a plain run', 5, values)];
    },
  },
  {
    name: 'pipeline',
    async run() {
      const world = await openOurs({ config: { toolsets: ['pipeline'] } });
      const lines = Array.from(
        { length: 5000 },
        (_, line) => `${line} ${line % 3 ? 'INFO' : 'ERROR'} ${line * 7919}`,
      );
      writeFileSync(join(world.root, 'app.log'), `${lines.join('\n')}\n`);
      const command = 'tail -n 3000 app.log | sed s/ERROR/E/ | sort | wc -l';
      const ours = () => world.ours.call('shelpa_pipe', { command });
      const theirs = () => run('sh', ['-c', command], { cwd: world.root });
      assertHolds(await ours(), '3000');
      assertHolds({ ...(await theirs()) }, '3000');
      const values = await medians(60, ours, theirs);
      await world.close();
      return [atMost('a pipeline of 4 stages, sandboxed', 'a shell', 1.5, values)];
    },
  },
  {
    name: 'output-1m',
    async run() {
      const megabyte = 1_000_000;
      const world = await openOurs({ files: { 'big.txt': 'x'.repeat(megabyte) } });
      const ours = () => world.ours.call('shell_exec', { command: 'cat', args: ['big.txt'] });
      const theirs = () => run('cat', ['big.txt'], { cwd: world.root, maxBuffer });
      assertHolds(await ours(), `"stdout":"${'x'.repeat(megabyte)}"`);
      const values = await medians(40, ours, theirs);
      await world.close();
      return [atMost('1 MB of output', 'a bare spawn', 1.3, values)];
    },
  },
];
