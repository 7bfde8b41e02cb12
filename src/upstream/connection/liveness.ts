import { ToolError } from '../../contract/error.ts';
import type { Connection } from './connect.ts';
import { RemoteError, type RemoteRequest } from './remote.ts';

const maxPatienceMs = 30_000;

/**
 * Requests on a supervised connection: after a timeout, the server is probed. If it does not answer, the connection is
 * closed, so that the server restarts instead of blocking all later calls.
 */
export function createLiveness(callTimeoutMs: number) {
  const timeoutMs = Math.min(maxPatienceMs, callTimeoutMs);
  const doubted = new WeakSet<Connection>();

  async function doubt(connection: Connection): Promise<void> {
    if (doubted.has(connection)) return;
    doubted.add(connection);
    const signal = AbortSignal.timeout(2 * timeoutMs);
    try {
      await connection.request({ ...connection.sign, signal, timeoutMs });
      doubted.delete(connection);
    } catch (error) {
      // "Unknown method" is a sign of life, too.
      if (error instanceof RemoteError) doubted.delete(connection);
      else await connection.close().catch(() => {});
    }
  }

  return async (connection: Connection, request: RemoteRequest): Promise<unknown> => {
    try {
      return await connection.request(request);
    } catch (error) {
      if (error instanceof ToolError && error.code === 'timed_out') void doubt(connection);
      throw error;
    }
  };
}
