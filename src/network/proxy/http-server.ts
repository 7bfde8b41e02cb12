import { createServer, type RequestListener, type Server } from 'node:http';
import { isSwitch, pairsOf } from '../edge/fields.ts';
import { idleMs } from './tunnel.ts';

/** Reads requests strictly. `mayUpgrade`: requests for websockets are events of their own. */
export function createHttpServer(handle: RequestListener, patienceMs: number, mayUpgrade = false): Server {
  const server = createServer(
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: patienceMs,
      // Uploads may take any time; the idle limit ends stalled ones.
      requestTimeout: 0,
      keepAliveTimeout: 60_000,
      connectionsCheckingInterval: Math.ceil(patienceMs / 3),
      requireHostHeader: false,
      insecureHTTPParser: false,
      shouldUpgradeCallback: ({ rawHeaders }) => mayUpgrade && isSwitch(pairsOf(rawHeaders)),
    },
    handle,
  );
  server.timeout = idleMs;
  return server;
}
