/** Takes turns by key: work under one key runs in sequence, under different keys in parallel. */
export type Turns = ReturnType<typeof createTurns>;

/** Keys are dropped once nothing runs or waits under them. A failure affects only its own work. */
export function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return {
    take<T>(key: string, work: () => Promise<T>): Promise<T> {
      const before = last.get(key);
      const mine = before ? before.then(work, work) : work();
      last.set(key, mine);
      const leave = () => {
        if (last.get(key) === mine) last.delete(key);
      };
      mine.then(leave, leave);
      return mine;
    },
  };
}
