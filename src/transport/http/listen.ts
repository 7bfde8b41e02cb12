import type { ServerResponse } from 'node:http';
import type { Arrival } from '../../contract/call.ts';
import {
  notificationFrame,
  type Params,
  type RequestId,
  RpcError,
  resultFrame,
  rpcCode,
} from '../jsonrpc.ts';
import { openSubscription } from '../listen.ts';
import type { Mcp } from '../mcp.ts';
import type { Outlet } from './outlet.ts';

/** The open `subscriptions/listen` streams of one HTTP server. */
export type Listeners = ReturnType<typeof createListeners>;

export function createListeners(mcp: Mcp, max: number) {
  const open = new Map<Outlet, () => void>();
  return {
    async open(id: RequestId, params: Params, arrival: Arrival, outlet: Outlet, response: ServerResponse) {
      if (!outlet.canStream)
        throw new RpcError(rpcCode.invalidRequest, 'Accept must allow text/event-stream.');
      if (open.size >= max) throw new RpcError(rpcCode.serverBusy, 'Too many subscriptions.', undefined, 503);
      const subscription = await openSubscription(mcp, id, params, arrival, {
        send: (method, body) => outlet.event(notificationFrame(method, body)),
        isCongested: outlet.isCongested,
      });
      const finish = () => {
        subscription.end();
        open.delete(outlet);
        outlet.finish(200, resultFrame(id, subscription.closingResultJson));
      };
      if (subscription.isEmpty) return finish();
      open.set(outlet, finish);
      response.once('close', () => {
        subscription.end();
        open.delete(outlet);
      });
      if (response.destroyed) finish();
    },
    /** Ends every stream with its closing result. */
    closeAll() {
      for (const finish of [...open.values()]) finish();
    },
    beat() {
      for (const outlet of open.keys()) outlet.beat();
    },
  };
}
