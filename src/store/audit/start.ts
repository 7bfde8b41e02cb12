import type { KeyObject } from 'node:crypto';
import type { Kysely } from 'kysely';
import { findRow } from '../rows.ts';
import type { AuditStartRow, Tables } from '../tables/tables.ts';
import { genesis, sealed } from './chain.ts';

/** The start of the chain: after record `seq`, which has this hash. */
export type Start = Pick<AuditStartRow, 'seq' | 'hash'>;

/** Seals the start. It needs the key, so only records that retention removed may be missing before it. */
export function sealStart(key: KeyObject, { seq, hash }: Start): AuditStartRow {
  return { id: 1, seq, hash, seal: sealed(key, ['start', seq, hash]) };
}

/** The start of the chain; `broken` if it was tampered with. */
export async function readStart(db: Kysely<Tables>, key: KeyObject): Promise<Start | 'broken'> {
  const row = await findRow(db, 'audit_start', { id: 1 });
  if (!row) return { seq: 0, hash: genesis(key) };
  return sealStart(key, row).seal === row.seal ? { seq: row.seq, hash: row.hash } : 'broken';
}
