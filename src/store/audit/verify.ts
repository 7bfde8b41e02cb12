import type { AuditVerdict } from '../../contract/records.ts';
import { type Text, text } from '../../contract/text/text.ts';
import type { Engine } from '../engine.ts';
import { findRow } from '../rows.ts';
import { chainHash, sealHead } from './chain.ts';
import { findStuck } from './inbox.ts';
import type { AuditKey } from './key.ts';
import { readStart } from './start.ts';

/** Walks the whole chain in pages and reports the first break; others may append in the meantime. */
export async function verifyChain(engine: Engine, key: AuditKey): Promise<AuditVerdict> {
  const { db } = engine;
  const { secret, isSettled } = key;
  const start = await readStart(db, secret);
  let { seq, hash } = start === 'broken' ? { seq: 0, hash: '' } : start;
  let first = seq;
  const broken = (at: number, problem: Text): AuditVerdict => ({
    ok: false,
    entries: seq - first,
    seq: at,
    problem,
  });

  if (start === 'broken')
    return broken(
      1,
      text(
        'The beginning of the log was changed, or sealed with another key.',
        'ログの先頭の封印が変更されたか、別の鍵で封印されています。',
      ),
    );

  /** Old records may be removed during the walk: then the chain begins after our position. */
  async function hasMovedOn(): Promise<boolean> {
    const now = await readStart(db, secret);
    if (now === 'broken' || now.seq <= seq) return false;
    ({ seq, hash } = now);
    first = seq;
    return true;
  }

  for (;;) {
    // Read before the rows: an append in between only adds rows that a later read of the head covers.
    const head = await findRow(db, 'audit_head', { id: 1 });
    if (head && sealHead(secret, head.seq, head.hash).seal !== head.seal) {
      return broken(
        head.seq,
        text(
          'The head was changed, or sealed with another key.',
          '末尾の封印が変更されたか、別の鍵で封印されています。',
        ),
      );
    }
    const end = head?.seq ?? 0;
    while (seq < end) {
      const rows = await db
        .selectFrom('audit')
        .selectAll()
        .where('seq', '>', seq)
        .where('seq', '<=', end)
        .orderBy('seq')
        .limit(pageRows)
        .execute();
      if (rows[0]?.seq !== seq + 1 && (await hasMovedOn())) continue;
      if (rows.length === 0)
        return broken(
          seq + 1,
          text(`Entries ${seq + 1} to ${end} are missing.`, `記録 ${seq + 1}～${end} がありません。`),
        );
      for (const row of rows) {
        if (row.seq !== seq + 1)
          return broken(seq + 1, text(`Entry ${seq + 1} is missing.`, `記録 ${seq + 1} がありません。`));
        hash = chainHash(secret, hash, row.seq, row);
        if (hash !== row.hash)
          return broken(
            row.seq,
            text(
              `Entry ${row.seq} was changed, or moved here.`,
              `記録 ${row.seq} が変更されたか、別の場所から移されています。`,
            ),
          );
        seq = row.seq;
      }
    }
    if (head && head.hash !== hash)
      return broken(
        end,
        text(
          'The head does not match the end of the chain.',
          '末尾の封印が、チェーンの実際の末尾と一致しません。',
        ),
      );
    const beyond = await db
      .selectFrom('audit')
      .select('seq')
      .where((where) => where.or([where('seq', '>', seq), where('seq', '<', 1)]))
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    if (!beyond) {
      if (!head && isSettled)
        return broken(
          0,
          text(
            'The log was emptied: its head is missing.',
            'ログが空にされています。末尾の封印がありません。',
          ),
        );
      const stuck = await findStuck(engine, key);
      return stuck === undefined
        ? { ok: true, entries: seq - first, head: hash, ...(first > 0 && { forgotten: first }) }
        : broken(seq + 1, stuck);
    }
    const newer = await db.selectFrom('audit_head').select('seq').where('id', '=', 1).executeTakeFirst();
    if ((newer?.seq ?? 0) <= end) {
      return broken(
        beyond.seq,
        text(
          `Entry ${beyond.seq} was added outside the chain.`,
          `記録 ${beyond.seq} がチェーンの外に追加されています。`,
        ),
      );
    }
  }
}

const pageRows = 1000;
