/** Chooses between two readings: false first, true on a later try. */
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
 * Reads a text in every way that programs do if they differ (a slash in brackets ends an awk expression for one awk and
 * not for another). Each reading is checked; unreadable ones are left out, but one must remain. Returns the findings of
 * all readings.
 */
export function everyReading<Found>(read: (choose: Choose) => Found): Found[] {
  const found: Found[] = [];
  let unreadable: Unreadable | undefined;
  const pending: boolean[][] = [[]];
  for (let tries = 0; pending.length > 0; tries++) {
    // Too ambiguous: fail closed.
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
