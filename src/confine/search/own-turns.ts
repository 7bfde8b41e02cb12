import { createSemaphore, type Semaphore } from '../../ground/semaphore.ts';

/** Runs so much work of a session at once; what else it asks for waits, and keeps no other session waiting. */
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
