import type { Incoming, Params, RequestId } from './jsonrpc.ts';
import { notificationFrame, requestFrame } from './jsonrpc.ts';

/** Questions of ours that wait for an answer from the client (the older revisions' server-to-client requests). */
export interface Asks {
  /** Rejects when the client answers with an error, or when the signal aborts first; then it is withdrawn. */
  ask(send: (frame: string) => void, method: string, params: Params, signal: AbortSignal): Promise<unknown>;
  settle(response: Extract<Incoming, { kind: 'response' }>): void;
}

export function createAsks(): Asks {
  const waiting = new Map<RequestId, (response: Extract<Incoming, { kind: 'response' }>) => void>();
  let made = 0;

  return {
    ask(send, method, params, signal) {
      signal.throwIfAborted();
      made += 1;
      const id = `ask-${made}`;
      return new Promise((resolve, reject) => {
        const withdraw = () => {
          waiting.delete(id);
          send(notificationFrame('notifications/cancelled', { requestId: id, reason: 'No longer needed.' }));
          reject(signal.reason);
        };
        signal.addEventListener('abort', withdraw, { once: true });
        waiting.set(id, (response) => {
          waiting.delete(id);
          signal.removeEventListener('abort', withdraw);
          if (response.failed) reject(new Error('The client refused the request.'));
          else resolve(response.result);
        });
        send(requestFrame(id, method, params));
      });
    },
    settle: (response) => waiting.get(response.id)?.(response),
  };
}
