import type { FlowDesk, FlowSession } from '../contract/flow.ts';
import { createCarried } from './memory.ts';
import { createFlowSession } from './session.ts';

/** Each holds 2 MiB at most, and most hold a few KiB. */
const maxSessions = 128;

/** The sessions of one server. What one of them puts down of a stranger's text is known to all. */
export function createFlowDesk(): FlowDesk {
  const sessions = new Map<string, FlowSession>();
  const carried = createCarried();
  return {
    of(sessionId) {
      const known = sessions.get(sessionId) ?? createFlowSession(carried);
      // The one used longest ago stands first.
      sessions.delete(sessionId);
      sessions.set(sessionId, known);
      const [oldest] = sessions.keys();
      if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest);
      return known;
    },
    forget: (sessionId) => void sessions.delete(sessionId),
  };
}
