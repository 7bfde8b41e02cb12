import { createHmac, type KeyObject } from 'node:crypto';
import type { AuditRecord } from '../../contract/records.ts';
import type { AuditHeadRow, AuditRow, AuditWriterRow } from '../tables/tables.ts';

/** A row before its place in the chain is known. */
export type UnchainedRow = Omit<AuditRow, 'seq' | 'hash'>;

/** Encodes a record once; no input of a caller can make it fail. */
export function encodeRecord(record: AuditRecord): UnchainedRow {
  return {
    at_ms: Math.trunc(record.atMs),
    principal: storable(record.principal),
    tool: storable(record.tool),
    outcome: record.outcome,
    body: encodeBody(record),
  };
}

/** The hash of a row, over all its columns and the previous hash. */
export function chainHash(key: KeyObject, previous: string, seq: number, row: UnchainedRow): string {
  const place = [previous, seq, row.at_ms, row.principal, row.tool, row.outcome];
  return sealed(key, place, row.body);
}

/** Seals the end of the chain; without the key, no one can make a head for an earlier end. */
export function sealHead(key: KeyObject, seq: number, hash: string): AuditHeadRow {
  return { id: 1, seq, hash, seal: sealed(key, ['head', seq, hash]) };
}

/** The hash of a waiting record, over all columns, its writer, its number and the previous hash. */
export function waitingHash(
  key: KeyObject,
  previous: string,
  writer: string,
  n: number,
  row: UnchainedRow,
): string {
  const place = ['waits', previous, writer, n, row.at_ms, row.principal, row.tool, row.outcome];
  return sealed(key, place, row.body);
}

/** Seals how many of a server's records have joined the chain. */
export function sealWriter(key: KeyObject, writer: string, n: number, hash: string): AuditWriterRow {
  return { writer, n, hash, seal: sealed(key, ['writer', writer, n, hash]) };
}

/** The hash before the first row. */
export function genesis(key: KeyObject): string {
  return sealed(key, ['genesis']);
}

/** A digest that only holders of the key can make. */
export function sealed(key: KeyObject, words: readonly unknown[], body = ''): string {
  return createHmac('sha256', key).update(JSON.stringify(words)).update(body).digest('base64url');
}

function encodeBody(record: AuditRecord): string {
  try {
    return JSON.stringify(record);
  } catch {
    // The arguments cannot be JSON (an embedder's may be circular): record the call without them.
    return JSON.stringify({ ...record, arguments: '[could not be recorded]', facts: undefined });
  }
}

/** Text that both databases return unchanged: no lone surrogates, no NUL. The body keeps them, escaped. */
function storable(words: string): string {
  return words.toWellFormed().replaceAll('\0', '\ufffd');
}
