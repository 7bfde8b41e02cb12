import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Arrival } from '../../contract/call.ts';
import type { Admission, Gateway } from '../../contract/gateway.ts';
import { challengeOf, type ProtectedResource } from './challenge.ts';
import { refuse } from './outlet.ts';

/** Admits a sender; undefined if the request was answered with a refusal. */
export type Admit = (
  request: IncomingMessage,
  response: ServerResponse,
  arrival: Arrival,
  as?: {
    readonly purpose?: 'calls' | 'metrics';
    /** Writes the refusal; default: as the reply's body. */
    readonly turnAway?: (status: number, reason: string) => void;
  },
) => Promise<Extract<Admission, { ok: true }> | undefined>;

/** A refusal says what the client must send, by RFC 6750 and RFC 9728. */
export function createAdmit(gateway: Gateway, resource: ProtectedResource | undefined): Admit {
  return async (request, response, arrival, { purpose = 'calls', turnAway } = {}) => {
    const verdict = await gateway.admits(arrival);
    if (verdict.ok && (purpose === 'metrics' || verdict.observes !== 'only')) return verdict;
    request.resume();
    const refuseWith = turnAway ?? ((status, reason) => refuse(response, status, reason));
    if (verdict.ok) {
      refuseWith(403, 'This token can only read /metrics.');
    } else if (verdict.reason === 'unverifiable') {
      response.setHeader('retry-after', '30');
      refuseWith(503, verdict.problem ?? verdict.reason);
    } else {
      const problem =
        arrival.bearer === undefined ? {} : { error: 'invalid_token' as const, description: verdict.problem };
      response.setHeader('www-authenticate', challengeOf(resource, problem));
      refuseWith(401, verdict.reason);
    }
    return undefined;
  };
}
