import type { Params } from './jsonrpc.ts';
import { isObject, RpcError, rpcCode } from './jsonrpc.ts';

/** The revisions that open with `initialize`, newest first. */
export const handshakeRevisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
/** The revisions whose every request says its own version. */
export const statelessRevisions = ['2026-07-28'] as const;

const knownRevisions: readonly string[] = [...statelessRevisions, ...handshakeRevisions];

/** `legacy`: a handshake and a connection. `modern`: each request stands alone. */
export type Era = 'legacy' | 'modern';

export const metaKey = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** What a 2026-07-28 request says of itself in `_meta`. */
export interface Envelope {
  readonly version: string;
  readonly client: ClientInfo | undefined;
  readonly capabilities: Params;
}

export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

/** Does the request name its version, and so belong to the modern era (whether or not the rest is right)? */
export function claimsEnvelope(params: Params): boolean {
  return isObject(params._meta) && Object.hasOwn(params._meta, metaKey.protocolVersion);
}

/** Reads the envelope; throws when it is incomplete. Whether its revision is served is another question. */
export function readEnvelope(params: Params): Envelope {
  const meta = isObject(params._meta) ? params._meta : undefined;
  if (!meta) throw badEnvelope('_meta', 'is missing');
  const version = meta[metaKey.protocolVersion];
  const capabilities = meta[metaKey.clientCapabilities];
  if (typeof version !== 'string') throw badEnvelope(metaKey.protocolVersion, 'must be a string');
  if (!isObject(capabilities)) throw badEnvelope(metaKey.clientCapabilities, 'must be an object');
  return { version, capabilities, client: readClientInfo(meta[metaKey.clientInfo]) };
}

/** Throws, naming the revisions that are served. */
export function assertStatelessRevision(requested: string): void {
  if (isStatelessRevision(requested)) return;
  throw new RpcError(rpcCode.unsupportedVersion, 'Unsupported protocol version.', {
    supported: statelessRevisions,
    requested,
  });
}

/** The revision that a header names, if we know it. */
export function knownRevision(version: string | undefined): string | undefined {
  return knownRevisions.find((known) => known === version);
}

export function isStatelessRevision(version: string | undefined): boolean {
  return statelessRevisions.some((known) => known === version);
}

/** The revision that a handshake settles on: the client's own where it is known, else the newest of its kind. */
export function settleRevision(requested: unknown): string {
  return handshakeRevisions.find((known) => known === requested) ?? handshakeRevisions[0];
}

/** Name and version as the client gives them, cut to what a log line can bear. */
export function readClientInfo(value: unknown): ClientInfo | undefined {
  if (!isObject(value) || typeof value.name !== 'string') return undefined;
  const version = typeof value.version === 'string' ? value.version : '';
  return { name: value.name.slice(0, 200), version: version.slice(0, 100) };
}

function badEnvelope(key: string, problem: string): RpcError {
  return new RpcError(rpcCode.invalidParams, `Invalid request envelope: ${key} ${problem}.`, { key }, 400);
}
