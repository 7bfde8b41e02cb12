import type { FlowDesk, FlowSession } from '../contract/flow.ts';
import { createCarried } from './memory.ts';
import { createFlowSession } from './session.ts';

/** Each takes 2 MiB at most, and mostly a few KiB. */
const maxSessions = 128;
/** Ids alone are small. */
const maxForgotten = 100_000;

/** The sessions of one server. All know of the untrusted text that one of them stores. */
export function createFlowDesk(): FlowDesk {
  const sessions = new Map<string, FlowSession>();
  const carried = createCarried();
  const forgotten = new Set<string>();

  function resume(sessionId: string): void {
    if (forgotten.size < maxForgotten) forgotten.add(sessionId);
  }

  return {
    of(sessionId) {
      // Past the limit nobody knows which sessions were forgotten.
      const isNew = !forgotten.has(sessionId) && forgotten.size < maxForgotten;
      const known = sessions.get(sessionId) ?? createFlowSession(carried, { forgot: !isNew });
      // Reinsertion keeps the least recently used first.
      sessions.delete(sessionId);
      sessions.set(sessionId, known);
      const [oldest] = sessions.keys();
      if (sessions.size > maxSessions && oldest !== undefined) {
        sessions.delete(oldest);
        resume(oldest);
      }
      return known;
    },
    resume,
    forget(sessionId) {
      sessions.delete(sessionId);
      forgotten.delete(sessionId);
    },
  };
}
