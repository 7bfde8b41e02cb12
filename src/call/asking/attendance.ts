import type { Call } from '../../contract/call.ts';

/** Which clients have nobody at them, as far as they say or show it. Their no is nobody's, however long it took. */
export interface Attendance {
  isMachine(call: Call, tookMs: number): boolean;
  /** Somebody agreed: there is a person after all. */
  agreed(call: Call): void;
  leave(connectionId: string): void;
}

/** No person reads a question, decides and presses a key in less. */
const fastestPersonMs = 1500;

/** Nor presses any key in less: who answers so has nobody, and a later answer of theirs is a slow machine's. */
const fastestKeyMs = 100;

export function createAttendance(): Attendance {
  const unattended = new Set<string>();
  return {
    isMachine({ arrival, isUnattended }, tookMs) {
      // At our own terminal the answer was typed.
      if (arrival.transport !== 'stdio' && arrival.transport !== 'http') return false;
      const { connectionId = '' } = arrival;
      if (tookMs < fastestKeyMs && connectionId !== '') unattended.add(connectionId);
      return isUnattended === true || tookMs < fastestPersonMs || unattended.has(connectionId);
    },
    agreed: ({ arrival }) => void unattended.delete(arrival.connectionId ?? ''),
    leave: (connectionId) => void unattended.delete(connectionId),
  };
}
