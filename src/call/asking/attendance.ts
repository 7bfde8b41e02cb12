import type { Call } from '../../contract/call.ts';

/** Clients without a person, as far as they say or show it. Their no never counts, however long it took. */
export type Attendance = ReturnType<typeof createAttendance>;

/** A person needs longer to read a question, decide and press a key. */
const fastestPersonMs = 1500;

/** A person needs longer to press any key: a client that answers faster has none, however slow it is later. */
const fastestKeyMs = 100;

export function createAttendance() {
  const unattended = new Set<string>();
  return {
    isMachine({ arrival, isUnattended }: Call, tookMs: number) {
      // At our own terminal a person typed the answer.
      if (arrival.transport !== 'stdio' && arrival.transport !== 'http') return false;
      const { connectionId = '' } = arrival;
      if (tookMs < fastestKeyMs && connectionId !== '') unattended.add(connectionId);
      return isUnattended === true || tookMs < fastestPersonMs || unattended.has(connectionId);
    },
    /** A person agreed, so the client has one after all. */
    agreed: ({ arrival }: Call) => void unattended.delete(arrival.connectionId ?? ''),
    leave: (connectionId: string) => void unattended.delete(connectionId),
  };
}
