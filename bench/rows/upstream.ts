import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { startServer } from '../client.ts';
import { median, percentile, type Row, timed, within } from '../measure.ts';
import { assertHolds, openOurs } from '../world.ts';

const echoServer = join(import.meta.dirname, '..', 'servers', 'echo.ts');
const text = 'x'.repeat(64);
const rounds = 3000;

export const rows: readonly Row[] = [
  {
    name: 'hop',
    async run() {
      // One core for client, hop and server, as on a busy machine: a hop cannot hide on another one.
      pin('0');
      const direct = await startServer([process.execPath, echoServer]);
      const world = await openOurs({
        config: {
          mcpServers: {
            far: {
              command: process.execPath,
              args: [echoServer],
              tools: { echo: { readOnly: true } },
              callsAtOnce: 16,
            },
          },
        },
      });
      try {
        await world.ours.request('tools/list', {});
        const through = () => world.ours.call('far__echo', { text });
        const straight = () => direct.call('echo', { text });
        assertHolds(await through(), text);
        const times = { through: [] as number[], straight: [] as number[] };
        for (let round = -500; round < rounds; round++) {
          const a = await timed(through);
          const b = await timed(straight);
          if (round < 0) continue;
          times.through.push(a);
          times.straight.push(b);
        }
        const burstMs = await timed(() => burst(through));
        const added = (share: number) => percentile(times.through, share) - percentile(times.straight, share);
        const rate = (burstCalls / burstMs) * 1000;
        return [
          within(
            'a call through a proxied server, time added',
            0.2,
            median(times.through) - median(times.straight),
          ),
          within('the same, p99', 1, added(0.99)),
          {
            row: 'the same, 16 in flight on one core',
            unit: 'calls/s',
            ours: rate,
            goal: '≥ 5000 calls/s',
            met: rate >= 5000,
          },
        ];
      } finally {
        await Promise.all([world.close(), direct.close()]);
        pin('0-1023');
      }
    },
  },
];

const burstCalls = 16 * 500;

async function burst(call: () => Promise<unknown>): Promise<void> {
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let round = 0; round < burstCalls / 16; round++) await call();
    }),
  );
}

/** What is started from here on runs on these cores, as we do. */
function pin(cores: string): void {
  execFileSync('taskset', ['-acp', cores, String(process.pid)], { stdio: 'ignore' });
}
