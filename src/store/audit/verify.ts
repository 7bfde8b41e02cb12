import type { AuditVerdict } from '../../contract/records.ts';
import { type Text, text } from '../../contract/text/text.ts';
import type { Engine } from '../engine.ts';
import { findRow, listRows } from '../rows.ts';
import { chainHash, sealHead } from './chain.ts';
import { findStuck } from './inbox.ts';
import type { AuditKey } from './key.ts';
import { readStart } from './start.ts';

/** Walks the whole chain in pages and reports the first break; others may append in the meantime. */
export async function verifyChain(engine: Engine, key: AuditKey): Promise<AuditVerdict> {
  const { db } = engine;
  const { secret, isSettled } = key;
  const start = await readStart(db, secret);
  if (start === 'broken') return { ok: false, entries: 0, seq: 1, problem: words.start };
  const at: Position = { ...start, first: start.seq };
  const broken = ({ seq, problem }: Break): AuditVerdict => ({
    ok: false,
    entries: at.seq - at.first,
    seq,
    problem,
  });

  for (;;) {
    // Read before the rows: an append in between only adds rows that a later read of the head covers.
    const head = await findRow(db, 'audit_head', { id: 1 });
    if (head && sealHead(secret, head.seq, head.hash).seal !== head.seal)
      return broken({ seq: head.seq, problem: words.head });
    const end = head?.seq ?? 0;
    const found = await walkTo(end, at, engine, key);
    if (found) return broken(found);
    if (head && head.hash !== at.hash) return broken({ seq: end, problem: words.end });
    const outside = await db
      .selectFrom('audit')
      .select('seq')
      .where((where) => where.or([where('seq', '>', at.seq), where('seq', '<', 1)]))
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    if (!outside) {
      if (!head && isSettled) return broken({ seq: 0, problem: words.emptied });
      const stuck = await findStuck(engine, key);
      if (stuck) return broken({ seq: at.seq + 1, problem: stuck });
      const forgotten = at.first > 0 && { forgotten: at.first };
      return { ok: true, entries: at.seq - at.first, head: at.hash, ...forgotten };
    }
    const newer = await findRow(db, 'audit_head', { id: 1 });
    if ((newer?.seq ?? 0) <= end) return broken({ seq: outside.seq, problem: words.outside(outside.seq) });
  }
}

/** The last entry that was checked, and the one after which the chain begins. */
interface Position {
  seq: number;
  hash: string;
  first: number;
}

interface Break {
  readonly seq: number;
  readonly problem: Text;
}

/** Checks the entries up to `end` and moves the position to it; the first break, if there is one. */
async function walkTo(
  end: number,
  at: Position,
  { db }: Engine,
  { secret }: AuditKey,
): Promise<Break | undefined> {
  /** Old records may be removed during the walk: then the chain begins after our position. */
  async function hasMovedOn(): Promise<boolean> {
    const now = await readStart(db, secret);
    if (now === 'broken' || now.seq <= at.seq) return false;
    Object.assign(at, now, { first: now.seq });
    return true;
  }

  while (at.seq < end) {
    const page = { by: 'seq', limit: pageRows } as const;
    const rows = await listRows(db, 'audit', { 'seq >': at.seq, 'seq <=': end }, page);
    const next = at.seq + 1;
    if (rows[0]?.seq !== next && (await hasMovedOn())) continue;
    if (rows.length === 0) return { seq: next, problem: words.allMissing(next, end) };
    for (const row of rows) {
      if (row.seq !== at.seq + 1) return { seq: at.seq + 1, problem: words.missing(at.seq + 1) };
      const hash = chainHash(secret, at.hash, row.seq, row);
      if (hash !== row.hash) return { seq: row.seq, problem: words.changed(row.seq) };
      Object.assign(at, { seq: row.seq, hash });
    }
  }
  return undefined;
}

const words = {
  start: text(
    'The beginning of the log was changed, or sealed with another key.',
    'ログの先頭の封印が変更されたか、別の鍵で封印されています。',
  ),
  head: text(
    'The head was changed, or sealed with another key.',
    '末尾の封印が変更されたか、別の鍵で封印されています。',
  ),
  end: text(
    'The head does not match the end of the chain.',
    '末尾の封印が、チェーンの実際の末尾と一致しません。',
  ),
  emptied: text(
    'The log was emptied: its head is missing.',
    'ログが空にされています。末尾の封印がありません。',
  ),
  allMissing: (seq: number, end: number) =>
    text(`Entries ${seq} to ${end} are missing.`, `記録 ${seq}～${end} がありません。`),
  missing: (seq: number) => text(`Entry ${seq} is missing.`, `記録 ${seq} がありません。`),
  changed: (seq: number) =>
    text(
      `Entry ${seq} was changed, or moved here.`,
      `記録 ${seq} が変更されたか、別の場所から移されています。`,
    ),
  outside: (seq: number) =>
    text(`Entry ${seq} was added outside the chain.`, `記録 ${seq} がチェーンの外に追加されています。`),
} as const;

const pageRows = 1000;
