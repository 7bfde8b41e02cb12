import type { SelectQueryBuilder, Transaction } from 'kysely';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { compileOnce } from '../compiled-query.ts';
import type { Engine } from '../engine.ts';
import { insertNew } from '../rows.ts';
import type { AuditHeadRow, AuditRow, Tables } from '../tables/tables.ts';
import { chainHash, genesis, sealHead, type UnchainedRow } from './chain.ts';
import type { AuditKey } from './key.ts';

export type ChainEnd = ReturnType<typeof createChainEnd>;

/** Every call uses these statements, so they are built once. */
export function createChainEnd(engine: Engine, key: AuditKey) {
  const readHead = compileOnce((tx, id: number) =>
    engine.lock(
      tx.selectFrom('audit_head').select(['id', 'seq', 'hash', 'seal']).where('id', '=', id) as HeadQuery,
    ),
  );
  const moveHead = compileOnce((tx, seq: number, hash: string, seal: string, id: number) =>
    tx.updateTable('audit_head').set({ seq, hash, seal }).where('id', '=', id),
  );

  /** The head that we wrote last; only we can have made its seal. */
  let known: AuditHeadRow | undefined;

  /** Locks the head, creating it if missing. Throws `unavailable` if this key did not seal it. */
  async function lockHead(tx: Transaction<Tables>): Promise<AuditHeadRow> {
    let [head] = await readHead(tx, 1);
    if (!head) {
      // The key has sealed a log before, but there is no head: the log was emptied or replaced.
      if (key.isSettled) throw brokenHead();
      const first = sealHead(key.secret, 0, genesis(key.secret));
      await insertNew(tx, 'audit_head', first);
      [head = first] = await readHead(tx, 1);
    }
    // Appending to a changed head would hide what was cut off.
    const isOurs = known?.seal === head.seal && known.seq === head.seq && known.hash === head.hash;
    if (!isOurs && sealHead(key.secret, head.seq, head.hash).seal !== head.seal) throw brokenHead();
    return head;
  }

  /** Appends rows; the transaction holds the lock of the head. */
  async function put(tx: Transaction<Tables>, head: AuditHeadRow, rows: readonly UnchainedRow[]) {
    let { seq, hash } = head;
    const chained: AuditRow[] = [];
    for (const row of rows) {
      seq += 1;
      hash = chainHash(key.secret, hash, seq, row);
      chained.push({ seq, ...row, hash });
    }
    await engine.insertMany(tx, 'audit', chained);
    known = sealHead(key.secret, seq, hash);
    await moveHead(tx, seq, hash, known.seal, known.id);
  }

  return {
    /** Appends rows under the lock of the head, so any number of processes may append at once. */
    async append(rows: readonly UnchainedRow[], options: { readonly durable: boolean }) {
      await engine.write(async (tx) => put(tx, await lockHead(tx), rows), options);
      if (!key.isSettled) key.settle();
    },
    lockHead,
    put,
  };
}

type HeadQuery = SelectQueryBuilder<Tables, keyof Tables, AuditHeadRow>;

function brokenHead(): ToolError {
  return new ToolError(
    'unavailable',
    'The audit log’s head does not match this server’s audit key, so nothing can be recorded.',
    '監査ログの末尾がこのサーバーの監査鍵と合わないため、記録できません。',
    text(
      'The operator should run `sekisho audit verify`. A server that joins an existing store needs the audit.key of the first one; after removing a database on purpose, remove its audit.key too.',
      '運用者は `sekisho audit verify` を実行してください。既存のストアに加わるサーバーには最初のサーバーの audit.key が必要です。データベースを意図的に削除した場合は、audit.key も削除してください。',
    ),
  );
}
