import { randomUUID } from 'node:crypto';
import type { Relay } from '../contract/nodes.ts';
import type { Custody } from './custody.ts';
import { type Incoming, notificationFrame, type Params, type RequestId, requestFrame } from './jsonrpc.ts';

/** Our requests to the client that wait for an answer (server-to-client requests of the older revisions). */
export type Asks = ReturnType<typeof createAsks>;

type Response = Extract<Incoming, { kind: 'response' }>;

/** An answer may arrive at another server than the one that asked, and is then forwarded to that one. */
export interface AsksElsewhere {
  readonly relay: Pick<Relay, 'hold' | 'ask'>;
  readonly connectionId: string;
  readonly onFault?: ((error: unknown) => void) | undefined;
}

export function createAsks(elsewhere?: AsksElsewhere, custody?: Custody) {
  const waiting = new Map<RequestId, (response: Response) => void>();
  const keyOf = (id: RequestId) => `ask ${elsewhere?.connectionId} ${id}`;

  async function handOn(response: Response): Promise<void> {
    await elsewhere?.relay.ask(keyOf(response.id), JSON.stringify(response), AbortSignal.timeout(handOnMs));
  }

  return {
    /** Rejects if the client answers with an error, or if the signal aborts first, which withdraws the request. */
    async ask(
      send: (frame: string) => void,
      method: string,
      params: Params,
      signal: AbortSignal,
    ): Promise<unknown> {
      signal.throwIfAborted();
      const id = `ask-${randomUUID()}`;
      const letGo = await elsewhere?.relay
        .hold(keyOf(id), async (body) => {
          waiting.get(id)?.(JSON.parse(body) as Response);
          return '';
        })
        // Without the relay, only answers that arrive here are received.
        .catch(() => undefined);
      if (signal.aborted) {
        letGo?.();
        throw signal.reason;
      }
      const withdrawal = notificationFrame('notifications/cancelled', {
        requestId: id,
        reason: 'No longer needed.',
      });
      const trust = custody?.take({ kind: 'say', words: withdrawal }, '');
      return new Promise((resolve, reject) => {
        const end = () => {
          letGo?.();
          waiting.delete(id);
          if (trust !== undefined) custody?.settle(trust);
        };
        const withdraw = () => {
          end();
          send(withdrawal);
          reject(signal.reason);
        };
        signal.addEventListener('abort', withdraw, { once: true });
        waiting.set(id, (response) => {
          end();
          signal.removeEventListener('abort', withdraw);
          if (response.failed) reject(new Error('The client refused the request.'));
          else resolve(response.result);
        });
        send(requestFrame(id, method, params));
      });
    },
    settle(response: Response) {
      const here = waiting.get(response.id);
      if (here) here(response);
      else handOn(response).catch((error) => elsewhere?.onFault?.(error));
    },
  };
}

/** The other server only has to accept it. */
const handOnMs = 30_000;
