import { ToolError } from '../../contract/error.ts';
import type { Connection } from './connect.ts';
import { RemoteError, type RemoteRequest } from './remote.ts';

const maxPatienceMs = 30_000;

/**
 * Requests on a connection that is looked after: when one ran out of time, the server is asked whether it is there
 * at all. One that gives no sign is given up, so that it is started again instead of holding up every call after it.
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
      // "I do not know this method" is a sign of life.
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
