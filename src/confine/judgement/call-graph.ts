import type { Place } from './syntax.ts';

/** Which functions call which, to find those that multiply themselves. */
export function createCallGraph() {
  const calls = new Map<string, Set<string>>();
  const forks: { readonly from: string; readonly to: string; readonly excerpt: string }[] = [];

  return {
    call(to: string, place: Place, excerpt: string): void {
      for (const from of place.functions) {
        const known = calls.get(from) ?? new Set<string>();
        calls.set(from, known);
        known.add(to);
        if (place.forks) forks.push({ from, to, excerpt });
      }
    },
    /** Calls beside others that come back to the function they stand in: a fork bomb. */
    bombs(): readonly string[] {
      const reach = new Map<string, ReadonlySet<string>>();
      for (const { from, to, excerpt } of forks) {
        if (!calls.has(to)) continue;
        const reached = reach.get(to) ?? reachableFrom(to, calls);
        reach.set(to, reached);
        if (reached.has(from)) return [excerpt];
      }
      return [];
    },
  };
}

function reachableFrom(start: string, calls: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set([start]);
  for (const name of reached)
    for (const next of calls.get(name) ?? []) if (calls.has(next)) reached.add(next);
  return reached;
}
