import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Series } from './exposition.ts';

/**
 * The process itself, under the names that dashboards for Node know. The delay of the event loop is measured from the
 * first look on, and each look begins anew.
 */
export function createProcessSeries(): () => readonly Series[] {
  let delay: ReturnType<typeof monitorEventLoopDelay> | undefined;
  return () => {
    const gauges: [string, string, number][] = [];
    const memory = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    gauges.push(
      ['process_resident_memory_bytes', 'Resident memory of the server.', memory.rss],
      ['nodejs_heap_size_total_bytes', 'Heap that the engine holds.', memory.heapTotal],
      ['nodejs_heap_size_used_bytes', 'Heap that is in use.', memory.heapUsed],
      ['nodejs_external_memory_bytes', 'Memory outside of the heap.', memory.external],
      [
        'process_start_time_seconds',
        'When the server began, in seconds since 1970.',
        Math.round(Date.now() / 1000 - process.uptime()),
      ],
    );
    if (delay) {
      gauges.push(
        ['nodejs_eventloop_lag_mean_seconds', 'Mean delay of the event loop.', seconds(delay.mean)],
        ['nodejs_eventloop_lag_p99_seconds', '99 of 100 delays were shorter.', seconds(delay.percentile(99))],
        ['nodejs_eventloop_lag_max_seconds', 'The longest delay.', seconds(delay.max)],
      );
      delay.reset();
    } else {
      delay = monitorEventLoopDelay({ resolution: 20 });
      delay.enable();
    }
    return [
      {
        name: 'process_cpu_seconds_total',
        help: 'Processor time of the server.',
        type: 'counter',
        samples: [{ value: (user + system) / 1e6 }],
      },
      ...gauges.map(([name, help, value]) => ({ name, help, type: 'gauge' as const, samples: [{ value }] })),
    ];
  };
}

/** Without a sample there is no number. */
function seconds(nanoseconds: number): number {
  return Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0;
}
