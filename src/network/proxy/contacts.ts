import type { Socket } from 'node:net';
import type { ContactOutcome, NetworkContact, SentRequest } from '../../contract/capabilities/process.ts';
import { nameOf, type Target } from './rules.ts';

/** A command's network contacts for its record, limited in number. */
export type Contacts = ReturnType<typeof createContacts>;

export function createContacts() {
  const known = new Map<string, Tally>();

  function tallyOf(target: Target, outcome: ContactOutcome, times = 1): Tally {
    const host = nameOf(target);
    const key = `${outcome} ${host}`;
    const isNew = !known.has(key);
    // A command can invent any number of names.
    const shown = isNew && known.size >= maxContacts ? `${outcome} *` : key;
    let tally = known.get(shown);
    if (!tally) {
      tally = {
        host: shown === key ? host : '*',
        outcome,
        times: 0,
        sent: 0,
        received: 0,
        open: new Set(),
        isTunnel: false,
        requests: [],
      };
      known.set(shown, tally);
    }
    tally.times += times;
    return tally;
  }

  return {
    /** A connection was made; its bytes are counted while it is open. */
    reached(target: Target, socket: Socket) {
      const tally = tallyOf(target, 'reached');
      tally.open.add(socket);
      socket.once('close', () => {
        tally.open.delete(socket);
        tally.sent += socket.bytesWritten;
        tally.received += socket.bytesRead;
      });
    },
    /** A connection that was made before serves another client. */
    reachedAgain: (target: Target) => void tallyOf(target, 'reached'),
    /** Its traffic is not looked into, in either direction. */
    unread(target: Target) {
      tallyOf(target, 'reached', 0).isTunnel = true;
    },
    missed: (target: Target, outcome: Exclude<ContactOutcome, 'reached' | 'refused'>) =>
      void tallyOf(target, outcome),
    /** An inspected host was, or was not, sent a request that does more than read. */
    noteRequest(target: Target, sent: SentRequest) {
      const isSent = sent.allowedBy !== undefined;
      const { requests } = tallyOf(target, isSent ? 'reached' : 'refused', isSent ? 0 : 1);
      requests.push({ ...sent, path: sent.path.slice(0, maxPathChars) });
    },
    list: (): readonly NetworkContact[] =>
      [...known.values()].map(({ host, outcome, times, sent, received, open, isTunnel, requests }) => {
        const sockets = [...open];
        return {
          host,
          outcome,
          times,
          sentBytes: sockets.reduce((sum, socket) => sum + socket.bytesWritten, sent),
          receivedBytes: sockets.reduce((sum, socket) => sum + socket.bytesRead, received),
          ...(isTunnel && { isTunnel }),
          ...(requests.length > 0 && { requests: requests.slice(-maxRequests) }),
        };
      }),
  };
}

const maxContacts = 32;
/** The newest of each host. */
const maxRequests = 32;
const maxPathChars = 200;

interface Tally {
  readonly host: string;
  readonly outcome: ContactOutcome;
  times: number;
  sent: number;
  received: number;
  readonly open: Set<Socket>;
  isTunnel: boolean;
  readonly requests: SentRequest[];
}
