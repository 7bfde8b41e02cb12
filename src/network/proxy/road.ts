import dns from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { unlessAborted } from '../../ground/waiting/abort.ts';
import { answerWith } from '../request.ts';
import type { Contacts } from './contacts.ts';
import type { Refusal, Refusals } from './refusal.ts';
import type { ProxyRules, Target } from './rules.ts';

export type Reached =
  | { readonly kind: 'reached'; readonly socket: Socket }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** The only way out: checks a target against the list, resolves it, checks each address and connects to these alone. */
export type Road = (target: Target) => Promise<Reached>;

export interface RoadOptions {
  readonly rules: ProxyRules;
  readonly refusals: Refusals;
  readonly contacts: Contacts;
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** Aborts when the command has ended. */
  readonly signal: AbortSignal;
}

export function createRoad({ rules, refusals, contacts, resolve, signal }: RoadOptions): Road {
  return async (target) => {
    if (!rules.allows(target)) {
      contacts.missed(target, 'unlisted');
      return { kind: 'refused', refusal: refusals.notListed(target) };
    }
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(connectMs)]);
      const addresses = isIP(target.host) ? [target.host] : await unlessAborted(resolve(target.host), within);
      if (!rules.mayConnect(target, addresses)) {
        contacts.missed(target, 'inner');
        return { kind: 'refused', refusal: refusals.inner(target) };
      }
      const socket = await connectTo(target, addresses, within);
      contacts.reached(target, socket);
      return { kind: 'reached', socket };
    } catch {
      contacts.missed(target, 'failed');
      return { kind: 'refused', refusal: refusals.unreachable(target) };
    }
  };
}

const connectMs = 20_000;

/** All addresses of a host from the system's resolver. */
export async function resolveBySystem(host: string): Promise<readonly string[]> {
  const answers = await dns.lookup(host, { all: true, verbatim: true });
  return answers.map(({ address }) => address);
}

function connectTo(
  { host, port }: Target,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // Connects to the checked addresses, not to those that a second look-up might return.
    const socket = connect({
      host,
      port,
      lookup: answerWith(addresses),
      autoSelectFamily: true,
      allowHalfOpen: true,
    });
    const abort = () => socket.destroy(new Error('not connected in time'));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    socket.once('error', reject);
    socket.once('close', () => signal.removeEventListener('abort', abort));
    socket.once('connect', () => {
      signal.removeEventListener('abort', abort);
      socket.off('error', reject);
      socket.on('error', () => {});
      resolve(socket);
    });
  });
}
