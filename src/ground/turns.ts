/** Takes turns by key: work under one key runs one after another, under different keys at once. */
export interface Turns {
  take<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** No key is kept once nothing runs or waits under it. A failure is its own work's alone: the next one runs. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    take(key, work) {
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
