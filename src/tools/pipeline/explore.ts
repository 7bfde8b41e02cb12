/** Asks which of two readings to follow: false first, true on a later try. */
export type Choose = () => boolean;

/** Thrown by a reading that no program would accept. */
export class Unreadable extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'Unreadable';
  }
}

const mostReadings = 256;

/**
 * Reads a text in every way that the programs of the world do, where they differ (a slash in brackets ends an awk
 * expression for one awk and not for another). Each reading is checked; those that cannot be read are left out, but
 * one must be left. Returns what the readings found.
 */
export function everyReading<Found>(read: (choose: Choose) => Found): Found[] {
  const found: Found[] = [];
  let unreadable: Unreadable | undefined;
  const pending: boolean[][] = [[]];
  for (let tries = 0; pending.length > 0; tries++) {
    // Ambiguous beyond measure: fail closed.
    if (tries >= mostReadings) throw new Unreadable('it can be read in too many ways');
    const path = pending.pop() ?? [];
    let depth = 0;
    const taken: boolean[] = [];
    const choose = () => {
      const answer = path[depth++] ?? false;
      taken.push(answer);
      return answer;
    };
    try {
      found.push(read(choose));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      unreadable ??= error;
    }
    for (let index = path.length; index < taken.length; index++)
      pending.push([...taken.slice(0, index), true]);
  }
  if (found.length === 0) throw unreadable ?? new Unreadable('it cannot be read');
  return found;
}
