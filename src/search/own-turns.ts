import { createSemaphore, type Semaphore } from '../ground/semaphore.ts';

/** Runs a limited number of a session's jobs at once; the others wait, without delaying other sessions. */
export function createOwnTurns(atOnce: number) {
  const sessions = new Map<string, { readonly turns: Semaphore; asked: number }>();
  return async <T>(
    sessionId: string,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> => {
    const session = sessions.get(sessionId) ?? { turns: createSemaphore(atOnce), asked: 0 };
    sessions.set(sessionId, session);
    session.asked += 1;
    try {
      const leave = await session.turns.acquire(signal);
      return await work().finally(leave);
    } finally {
      session.asked -= 1;
      if (session.asked === 0) sessions.delete(sessionId);
    }
  };
}
