/* Runs commands that change many files at once, until it is killed. Says a dot for each that was answered. */
import { openCheckpoint } from '../../src/checkpoint/open-checkpoint.ts';
import { loadSettings } from '../../src/config/load.ts';

const [root = '', state = ''] = process.argv.slice(2);
const checkpoint = await openCheckpoint(
  loadSettings({ root, state, profile: 'coding' }, { HOME: state, PATH: process.env.PATH }, root),
);
const arrival = { transport: 'stdio', connectionId: 'killed' } as const;
for (let round = 1; ; round++) {
  const mark = `${process.pid}-${round}`;
  const command = [
    `for i in $(seq 40); do echo ${mark} > many/$i; done; sleep 0.05`,
    `rm -r turns; mkdir -p turns/in; echo ${mark} > turns/in/mark`,
    `rm -f gone-*; echo ${mark} > gone-${mark}; echo ${mark} > mark`,
  ].join('; ');
  const reply = await checkpoint.gateway.call({
    tool: 'bash',
    input: { command, on_failure: 'discard' },
    arrival,
    signal: new AbortController().signal,
    elicit: async () => ({ action: 'accept' as const }),
  });
  if (reply.kind === 'output') process.stdout.write('.');
  else process.stderr.write(`${JSON.stringify(reply)}\n`);
}
