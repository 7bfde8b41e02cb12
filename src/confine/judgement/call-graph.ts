import type { Place } from './syntax/walk.ts';

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Which functions call which, to find those that multiply themselves. */
export function createCallGraph() {
  const calls = new Map<string, Set<string>>();
  const forks: { readonly from: string; readonly to: string; readonly excerpt: () => string }[] = [];

  return {
    call(to: string, place: Place, excerpt: () => string): void {
      for (const from of place.functions) {
        const known = calls.get(from) ?? new Set<string>();
        calls.set(from, known);
        known.add(to);
        if (place.forks) forks.push({ from, to, excerpt });
      }
    },
    /** Calls beside others that come back to the function they stand in: a fork bomb. */
    bombs(): readonly (() => string)[] {
      if (forks.length === 0) return [];
      const circle = circlesIn(calls);
      const bomb = forks.find(
        ({ from, to }) => circle.get(to) !== undefined && circle.get(to) === circle.get(from),
      );
      return bomb ? [bomb.excerpt] : [];
    },
  };
}

/** One name for all functions that call each other around; Kosaraju's way, as a script may have thousands. */
function circlesIn(calls: Graph): ReadonlyMap<string, string> {
  const callers = new Map<string, Set<string>>();
  for (const [from, called] of calls)
    for (const to of called) callers.set(to, (callers.get(to) ?? new Set()).add(from));
  const finished: string[] = [];
  const seen = new Set<string>();
  for (const name of calls.keys()) visit(name, calls, seen, (left) => finished.push(left));
  const circles = new Map<string, string>();
  const found = new Set<string>();
  for (const name of finished.reverse())
    visit(name, callers, found, (left) => calls.has(left) && circles.set(left, name));
  return circles;
}

/** Goes wherever nobody was, without recursion, and tells of each name when it is left. */
function visit(start: string, graph: Graph, seen: Set<string>, leave: (name: string) => void): void {
  if (seen.has(start)) return;
  const open = [{ name: start, next: graph.get(start)?.values() }];
  seen.add(start);
  for (let at = open.at(-1); at; at = open.at(-1)) {
    const to = at.next?.next().value;
    if (to === undefined) {
      leave(at.name);
      open.pop();
    } else if (!seen.has(to)) {
      seen.add(to);
      open.push({ name: to, next: graph.get(to)?.values() });
    }
  }
}
