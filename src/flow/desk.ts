import type { FlowDesk, FlowSession } from '../contract/flow.ts';
import { createCarried } from './memory.ts';
import { createFlowSession } from './session.ts';

/** Each takes 2 MiB at most, and mostly a few KiB. */
const maxSessions = 128;

/** The sessions of one server. All know of the untrusted text that one of them stores. */
export function createFlowDesk(): FlowDesk {
  const sessions = new Map<string, FlowSession>();
  const carried = createCarried();
  return {
    of(sessionId) {
      const known = sessions.get(sessionId) ?? createFlowSession(carried);
      // Reinsertion keeps the least recently used first.
      sessions.delete(sessionId);
      sessions.set(sessionId, known);
      const [oldest] = sessions.keys();
      if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest);
      return known;
    },
    forget: (sessionId) => void sessions.delete(sessionId),
  };
}
