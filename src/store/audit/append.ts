import type { Transaction } from 'kysely';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import type { Engine } from '../engine.ts';
import type { AuditHeadRow, AuditRow, Tables } from '../tables/tables.ts';
import { chainHash, genesis, sealHead, type UnchainedRow } from './chain.ts';
import type { AuditKey } from './key.ts';

/** Adds rows at the end of the chain, under the lock of its head: any number of processes may append at once. */
export async function appendRows(
  engine: Engine,
  key: AuditKey,
  rows: readonly UnchainedRow[],
  options: { readonly durable: boolean },
): Promise<void> {
  await engine.write(async (tx) => {
    await chainRows(engine, tx, key, await lockHead(engine, tx, key), rows);
  }, options);
  if (!key.isSettled) key.settle();
}

/** Puts rows behind the head, whose lock the transaction holds. */
export async function chainRows(
  engine: Engine,
  tx: Transaction<Tables>,
  key: AuditKey,
  head: AuditHeadRow,
  rows: readonly UnchainedRow[],
): Promise<void> {
  let { seq, hash } = head;
  const chained: AuditRow[] = [];
  for (const row of rows) {
    seq += 1;
    hash = chainHash(key.secret, hash, seq, row);
    chained.push({ seq, ...row, hash });
  }
  await engine.insertMany(tx, 'audit', chained);
  const { id, ...sealed } = sealHead(key.secret, seq, hash);
  await tx.updateTable('audit_head').set(sealed).where('id', '=', id).execute();
}

/** Locks the head, made where there is none yet. Throws `unavailable` for one that this key did not seal. */
export async function lockHead(
  engine: Engine,
  tx: Transaction<Tables>,
  key: AuditKey,
): Promise<AuditHeadRow> {
  const select = () =>
    engine
      .lock(tx.selectFrom('audit_head').select(['id', 'seq', 'hash', 'seal']).where('id', '=', 1))
      .executeTakeFirst();
  let head = await select();
  if (!head) {
    // A key that has sealed a log before, and no head: the log was emptied or is another one.
    if (key.isSettled) throw brokenHead();
    const first = sealHead(key.secret, 0, genesis(key.secret));
    await tx
      .insertInto('audit_head')
      .values(first)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    head = (await select()) ?? first;
  }
  // Going on from a head that somebody changed would hide what they cut off.
  if (sealHead(key.secret, head.seq, head.hash).seal !== head.seal) throw brokenHead();
  return head;
}

function brokenHead(): ToolError {
  return new ToolError(
    'unavailable',
    text(
      'The audit log’s head does not match this server’s audit key, so nothing can be recorded.',
      '監査ログの末尾がこのサーバーの監査鍵と合わないため、記録できません。',
    ),
    {
      suggestion: text(
        'The operator should run `sekisho audit verify`. A server that joins an existing store needs the audit.key of the first one; after removing a database on purpose, remove its audit.key too.',
        '運用者は `sekisho audit verify` を実行してください。既存のストアに加わるサーバーには最初のサーバーの audit.key が必要です。データベースを意図的に削除した場合は、audit.key も削除してください。',
      ),
    },
  );
}
