import type { Transaction } from 'kysely';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { chainHash } from '../audit/chain.ts';
import type { AuditKey } from '../audit/key.ts';
import { readStart, sealStart } from '../audit/start.ts';
import type { Engine } from '../engine.ts';
import { insertNew, updateRows } from '../rows.ts';
import type { Tables } from '../tables/tables.ts';

/**
 * Removes the records at the start of the chain that are older than this, and seals the new start. Each is checked
 * first: tampered ones stay, for `verify` to report. Returns how many were removed.
 */
export async function forgetRecords(engine: Engine, key: AuditKey, beforeMs: number): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const { gone, isOver } = await engine.write((tx) => forgetPage(engine, tx, key, beforeMs));
    forgotten += gone;
    if (isOver) return forgotten;
  }
}

async function forgetPage(engine: Engine, tx: Transaction<Tables>, key: AuditKey, beforeMs: number) {
  const { secret } = key;
  // Servers take turns by this row; calls may wait for the lock of the head, so that is not used.
  await insertNew(tx, 'audit_start', sealStart(secret, await known(tx, key)));
  await engine.lock(tx.selectFrom('audit_start').select('id').where('id', '=', 1)).execute();
  let start = await known(tx, key);
  const first = start.seq;
  const rows = await tx
    .selectFrom('audit')
    .selectAll()
    .where('seq', '>', start.seq)
    .orderBy('seq')
    .limit(pageRows)
    .execute();
  // Clocks of servers differ: the first recent record ends it, whatever follows.
  const young = rows.findIndex(({ at_ms }) => at_ms >= beforeMs);
  const old = young === -1 ? rows : rows.slice(0, young);
  for (const row of old) {
    if (row.seq !== start.seq + 1 || chainHash(secret, start.hash, row.seq, row) !== row.hash)
      throw brokenAt(row.seq);
    start = { seq: row.seq, hash: row.hash };
  }
  if (old.length > 0) {
    await tx.deleteFrom('audit').where('seq', '<=', start.seq).execute();
    await updateRows(tx, 'audit_start', { id: 1 }, sealStart(secret, start));
  }
  return { gone: start.seq - first, isOver: old.length < pageRows };
}

async function known(tx: Transaction<Tables>, key: AuditKey) {
  const start = await readStart(tx, key.secret);
  if (start === 'broken') throw brokenAt(0);
  return start;
}

function brokenAt(seq: number): ToolError {
  return new ToolError(
    'unavailable',
    text(
      `The audit log does not verify at entry ${seq}, so no records were removed.`,
      `監査ログの記録 ${seq} の検証に失敗したため、古い記録を削除しませんでした。`,
    ),
    {
      suggestion: text(
        'The operator should run `sekisho audit verify`.',
        '運用者は `sekisho audit verify` を実行してください。',
      ),
    },
  );
}

const pageRows = 1000;
