import { ToolError } from '../../contract/error.ts';
import type { Connection } from './connect.ts';
import { RemoteError, type RemoteRequest } from './remote.ts';

type Send = (connection: Connection, request: RemoteRequest) => Promise<unknown>;

/** Sends requests with the call's trace in `_meta`, so that the server's own spans join it. */
export function traceRequests(server: string, send: Send): Send {
  return async (connection, request) => {
    const { trace, method, params } = request;
    if (!trace) return send(connection, request);
    const tool = method === 'tools/call' ? String(params.name) : undefined;
    const span = trace.request({ method, server, ...(tool !== undefined && { tool }) });
    try {
      const _meta = { ...(params._meta as object | undefined), ...span.meta };
      const result = await send(connection, { ...request, params: { ...params, _meta } });
      const { isError } = (result ?? {}) as { readonly isError?: unknown };
      span.end(isError === true ? 'tool_error' : undefined);
      return result;
    } catch (error) {
      span.end(errorTypeOf(error));
      throw error;
    }
  };
}

/** A code only: the text is untrusted. */
function errorTypeOf(error: unknown): string {
  if (error instanceof RemoteError) return String(error.code);
  return error instanceof ToolError ? error.code : '_OTHER';
}
