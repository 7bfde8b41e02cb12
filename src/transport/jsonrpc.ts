import { ToolError } from '../contract/error.ts';
import { limits } from '../contract/limits.ts';
import { isRecord } from '../ground/is-record.ts';

/** JSON-RPC 2.0 as in MCP: parsing and formatting messages. */

export type RequestId = string | number;
export type Params = Readonly<Record<string, unknown>>;

/** Codes of the protocol itself. A tool's errors are results, never one of these. */
export const rpcCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Ours: the server is full, stopping, or cannot reach its records. */
  serverBusy: -32000,
  /** Ours: the token's scope is too small. */
  insufficientScope: -32003,
  /** Revisions before 2026-07-28; since then a missing resource is `invalidParams`. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** Ends a request with a JSON-RPC error. Its message reaches the client, so it is written by hand. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  /** The HTTP status for it on revision 2026-07-28. */
  readonly httpStatus: number;

  constructor(code: number, message: string, data?: unknown, httpStatus = httpStatusOf(code)) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
    this.httpStatus = httpStatus;
  }
}

/** For a message that was not parsed, because that would hold everybody up. */
export function tooIntricate(): RpcError {
  const { messageDepth, messageNames, messageValues } = limits;
  const problem = `A message has at most ${messageDepth} levels, ${messageNames} names in an object and ${messageValues} values.`;
  return new RpcError(rpcCode.invalidRequest, problem);
}

export type Incoming =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: Params }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Params }
  | { readonly kind: 'response'; readonly id: RequestId; readonly result?: unknown; readonly failed: boolean }
  | { readonly kind: 'invalid'; readonly id: RequestId | null };

/** Classifies a parsed message by its envelope alone. */
export function readMessage(value: unknown): Incoming {
  if (!isRecord(value)) return { kind: 'invalid', id: null };
  const { id, method, params } = value;
  const hasId = typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
  const invalid = { kind: 'invalid', id: hasId ? id : null } as const;
  if (value.jsonrpc !== '2.0') return invalid;
  if (method === undefined) {
    const failed = isRecord(value.error);
    return hasId && (failed || value.result !== undefined)
      ? { kind: 'response', id, result: value.result, failed }
      : invalid;
  }
  if (typeof method !== 'string' || (params !== undefined && !isRecord(params))) return invalid;
  if (hasId) return { kind: 'request', id, method, params: params ?? noParams };
  return id === undefined ? { kind: 'notification', method, params: params ?? noParams } : invalid;
}

export function resultFrame(id: RequestId, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${resultJson}}`;
}

export function errorFrame(id: RequestId | null, error: RpcError): string {
  const { code, message, data } = error;
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: { code, message, ...(data !== undefined && { data }) },
  });
}

export function notificationFrame(method: string, params?: Params): string {
  return JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }) });
}

export function requestFrame(id: RequestId, method: string, params: Params): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** Converts any failure to an RpcError. Foreign text is dropped: it may contain secrets or instructions. */
export function asRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof ToolError && error.code === 'unavailable')
    return new RpcError(rpcCode.serverBusy, error.text.en, { code: error.code }, 503);
  return new RpcError(rpcCode.internalError, 'Internal error.');
}

const noParams: Params = Object.freeze({});

function encodeId(id: RequestId): string {
  return typeof id === 'number' ? String(id) : JSON.stringify(id);
}

function httpStatusOf(code: number): number {
  switch (code) {
    case rpcCode.methodNotFound:
      return 404;
    case rpcCode.parseError:
    case rpcCode.invalidRequest:
    case rpcCode.headerMismatch:
    case rpcCode.missingCapability:
    case rpcCode.unsupportedVersion:
      return 400;
    default:
      return 200;
  }
}
