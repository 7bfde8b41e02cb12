import { isRecord } from '../ground/is-record.ts';
import { type Params, RpcError, rpcCode } from './jsonrpc.ts';

/** The revisions that open with `initialize`, newest first. */
export const handshakeRevisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
/** The revisions in which every request states its version. */
export const statelessRevisions = ['2026-07-28'] as const;

const knownRevisions: readonly string[] = [...statelessRevisions, ...handshakeRevisions];

/** `legacy`: a handshake and a connection. `modern`: each request is self-contained. */
export type Era = 'legacy' | 'modern';

export const metaKey = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The envelope in `_meta` of a 2026-07-28 request. */
export interface Envelope {
  readonly version: string;
  readonly client: ClientInfo | undefined;
  readonly capabilities: Params;
}

export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

/** Whether the request names its version, and so belongs to the modern era (even if the rest is wrong). */
export function claimsEnvelope(params: Params): boolean {
  return isRecord(params._meta) && Object.hasOwn(params._meta, metaKey.protocolVersion);
}

/** Reads the envelope; throws if it is incomplete. Does not check whether its revision is served. */
export function readEnvelope(params: Params): Envelope {
  const meta = isRecord(params._meta) ? params._meta : undefined;
  if (!meta) throw badEnvelope('_meta', 'is missing');
  const version = meta[metaKey.protocolVersion];
  const capabilities = meta[metaKey.clientCapabilities];
  if (typeof version !== 'string') throw badEnvelope(metaKey.protocolVersion, 'must be a string');
  if (!isRecord(capabilities)) throw badEnvelope(metaKey.clientCapabilities, 'must be an object');
  return { version, capabilities, client: readClientInfo(meta[metaKey.clientInfo]) };
}

/** Throws unless the revision is served, naming those that are. */
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

/** The revision for a handshake: the client's if it is known, else the newest of its kind. */
export function settleRevision(requested: unknown): string {
  return handshakeRevisions.find((known) => known === requested) ?? handshakeRevisions[0];
}

/** Name and version as the client sends them, cut to a reasonable length for logs. */
export function readClientInfo(value: unknown): ClientInfo | undefined {
  if (!isRecord(value) || typeof value.name !== 'string') return undefined;
  const version = typeof value.version === 'string' ? value.version : '';
  return { name: value.name.slice(0, 200), version: version.slice(0, 100) };
}

function badEnvelope(key: string, problem: string): RpcError {
  return new RpcError(rpcCode.invalidParams, `Invalid request envelope: ${key} ${problem}.`, { key }, 400);
}
