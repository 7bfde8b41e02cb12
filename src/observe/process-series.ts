import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gauge, type Series } from './exposition.ts';

/** The sampling interval of the event loop; any later wake counts as delay. */
const askEveryMs = 20;

/** Metrics of the process, named as dashboards for Node expect. The event loop's delay is since the last scrape. */
export function createProcessSeries(): () => readonly Series[] {
  const beganAt = Date.now() / 1000 - process.uptime();
  let delay: ReturnType<typeof monitorEventLoopDelay> | undefined;

  function lags(): readonly Series[] {
    if (!delay) {
      delay = monitorEventLoopDelay({ resolution: askEveryMs });
      delay.enable();
      return [];
    }
    // Two scrapes at the same moment have no samples between them.
    if (delay.count === 0) return [];
    const series = [
      gauge('nodejs_eventloop_lag_mean_seconds', 'Mean delay of the event loop.', seconds(delay.mean)),
      gauge('nodejs_eventloop_lag_p99_seconds', '99 of 100 were shorter.', seconds(delay.percentile(99))),
      gauge('nodejs_eventloop_lag_max_seconds', 'The longest since the last look.', seconds(delay.max)),
    ];
    delay.reset();
    return series;
  }

  return () => {
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return [
      {
        ...gauge('process_cpu_seconds_total', 'Processor time of the server.', (user + system) / 1e6),
        type: 'counter',
      },
      gauge('process_resident_memory_bytes', 'Resident memory of the server.', rss),
      gauge('process_start_time_seconds', 'When the server began, in seconds since 1970.', beganAt),
      gauge('nodejs_heap_size_total_bytes', 'Heap that the engine holds.', heapTotal),
      gauge('nodejs_heap_size_used_bytes', 'Heap that is in use.', heapUsed),
      gauge('nodejs_external_memory_bytes', 'Memory outside of the heap.', external),
      ...lags(),
    ];
  };
}

function seconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - askEveryMs / 1000);
}
