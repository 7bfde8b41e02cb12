import { type RequestId, RpcError, rpcCode } from './jsonrpc.ts';

/** Concurrent requests of one connection or server; more are refused. */
const maxRunning = 1024;
const maxBatch = 100;

/** Throws if a request may not begin. A full server still answers ping. */
export function assertMayBegin(
  { id, method }: { readonly id: RequestId; readonly method: string },
  running: number,
  isRunning: (id: RequestId) => boolean,
): void {
  if (method !== 'ping' && running >= maxRunning)
    throw new RpcError(rpcCode.serverBusy, 'Too many requests at once.', undefined, 503);
  if (isRunning(id)) throw new RpcError(rpcCode.invalidRequest, 'A request with this id is running.');
}

/** Revision 2025-03-26 allows several messages in an array. Throws if they are too many, or none. */
export function assertBatch(values: readonly unknown[], isOlder: boolean): void {
  if (values.length > 0 && values.length <= maxBatch && isOlder) return;
  throw new RpcError(rpcCode.invalidRequest, `A batch holds 1 to ${maxBatch} messages of older revisions.`);
}

/** The error for a value that is no message. */
export function notAMessage(): RpcError {
  return new RpcError(rpcCode.invalidRequest, 'Not a JSON-RPC 2.0 message.');
}
