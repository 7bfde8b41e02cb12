import { createHmac, type KeyObject } from 'node:crypto';
import type { AuditRecord } from '../../contract/records.ts';
import type { AuditHeadRow, AuditRow, AuditWriterRow } from '../tables/tables.ts';

/** A row before its place in the chain is known. */
export type UnchainedRow = Omit<AuditRow, 'seq' | 'hash'>;

/** Encodes a record once; nothing that a caller sent can make this fail. */
export function encodeRecord(record: AuditRecord): UnchainedRow {
  return {
    at_ms: Math.trunc(record.atMs),
    principal: storable(record.principal),
    tool: storable(record.tool),
    outcome: record.outcome,
    body: encodeBody(record),
  };
}

/** The hash of a row: it covers every column, and the hash before it. */
export function chainHash(key: KeyObject, previous: string, seq: number, row: UnchainedRow): string {
  const place = JSON.stringify([previous, seq, row.at_ms, row.principal, row.tool, row.outcome]);
  return createHmac('sha256', key).update(place).update(row.body).digest('base64url');
}

/** The head that says where the chain ends; without the key nobody makes one for an earlier place. */
export function sealHead(key: KeyObject, seq: number, hash: string): AuditHeadRow {
  const seal = createHmac('sha256', key)
    .update(JSON.stringify(['head', seq, hash]))
    .digest('base64url');
  return { id: 1, seq, hash, seal };
}

/** The hash of a record that waits: it covers every column, whose it is, which of theirs, and the one before it. */
export function waitingHash(
  key: KeyObject,
  previous: string,
  writer: string,
  n: number,
  row: UnchainedRow,
): string {
  const place = JSON.stringify([
    'waits',
    previous,
    writer,
    n,
    row.at_ms,
    row.principal,
    row.tool,
    row.outcome,
  ]);
  return createHmac('sha256', key).update(place).update(row.body).digest('base64url');
}

/** How far a server's records have come. */
export function sealWriter(key: KeyObject, writer: string, n: number, hash: string): AuditWriterRow {
  const seal = createHmac('sha256', key)
    .update(JSON.stringify(['writer', writer, n, hash]))
    .digest('base64url');
  return { writer, n, hash, seal };
}

/** The hash before the first row. */
export function genesis(key: KeyObject): string {
  return createHmac('sha256', key).update('["genesis"]').digest('base64url');
}

function encodeBody(record: AuditRecord): string {
  try {
    return JSON.stringify(record);
  } catch {
    // Arguments that JSON cannot say, such as a circle of an embedder's: the call is recorded without them.
    return JSON.stringify({ ...record, arguments: '[could not be recorded]', facts: undefined });
  }
}

/** Text that both databases give back as it was: no lone surrogates, no NUL. The body keeps them, escaped. */
function storable(words: string): string {
  return words.toWellFormed().replaceAll('\0', '\ufffd');
}
