import type { FleetNode } from './nodes.ts';

/** What each server held at a moment of the run. */
export interface MemoryAt {
  readonly atMs: number;
  readonly residentMiB: readonly number[];
}

/** Looks at the servers again and again until it is told to stop, and returns what it saw. */
export function watchMemory(nodes: readonly FleetNode[], everyMs: number): { stop(): readonly MemoryAt[] } {
  const beganAt = performance.now();
  const seen: MemoryAt[] = [];
  const look = () =>
    seen.push({
      atMs: performance.now() - beganAt,
      residentMiB: nodes.map((node) => node.usage().residentMiB),
    });
  const looking = setInterval(look, everyMs);
  return {
    stop() {
      clearInterval(looking);
      return seen;
    },
  };
}

/** By how many MiB a minute the mean of the servers grew from then on: the line that lies nearest to all looks. */
export function growthPerMinute(seen: readonly MemoryAt[], fromMs: number): number {
  const points = seen
    .filter(({ atMs }) => atMs >= fromMs)
    .map(({ atMs, residentMiB }) => ({ x: atMs / 60_000, y: mean(residentMiB) }));
  const x = mean(points.map((point) => point.x));
  const y = mean(points.map((point) => point.y));
  const along = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0);
  return along / points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
