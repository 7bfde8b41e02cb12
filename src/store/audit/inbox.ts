import type { Kysely, Transaction } from 'kysely';
import { type Text, text } from '../../contract/text/text.ts';
import type { Engine } from '../engine.ts';
import { randomId } from '../random-id.ts';
import { findRow, listRows, putRow, selectRows } from '../rows.ts';
import type { AuditInboxRow, AuditWriterRow, Tables } from '../tables/tables.ts';
import type { ChainEnd } from './append.ts';
import { sealWriter, type UnchainedRow, waitingHash } from './chain.ts';
import type { AuditKey } from './key.ts';

/**
 * If several servers write at once, each puts its records into an inbox, numbered and hashed in sequence; the next that
 * can moves them to the end of the chain. So a call waits only for its own row, and changing, removing or restoring a
 * row of the inbox is detected.
 */
export function createInbox(openKey: () => AuditKey) {
  const writer = randomId('srv_', 16);
  let n = 0;
  let hash = '';
  return {
    /** May be called again with the same rows and more after a failure: rows stored already are unchanged. */
    async put(engine: Engine, rows: readonly UnchainedRow[], options: { readonly durable: boolean }) {
      const { secret } = openKey();
      let last = { n, hash };
      const waiting = rows.map((row) => {
        const place = last.n + 1;
        last = { n: place, hash: waitingHash(secret, last.hash, writer, place, row) };
        return { writer, ...last, ...row };
      });
      const put = (db: Kysely<Tables>) =>
        engine.insertMany(db, 'audit_inbox', waiting, { unlessThere: true });
      // A single statement commits itself.
      await (options.durable ? put(engine.db) : engine.write(put, options));
      ({ n, hash } = last);
    },
  };
}

/**
 * Moves waiting records to the end of the chain; `lazily`: unless another server is doing so. Tampered records stay,
 * with all later ones of their server, for `findStuck` to report. Creates the head of an empty log.
 */
export async function joinInbox(
  engine: Engine,
  key: AuditKey,
  end: ChainEnd,
  { lazily = false }: { readonly lazily?: boolean } = {},
): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after;
    after = await engine.write(
      async (tx) => {
        if (lazily && !(await isHeadFree(engine, tx))) return undefined;
        const head = await end.lockHead(tx);
        const rows = await listRows(tx, 'audit_inbox', { 'id >': from }, { by: 'id', limit: joinedRows });
        if (rows.length === 0) return undefined;
        const names = [...new Set(rows.map(({ writer }) => writer))];
        const known = await selectRows(tx, 'audit_writers', { writer: names }).execute();
        const { fitting, done, writers } = sortOut(key, rows, known);
        if (fitting.length > 0)
          await end.put(
            tx,
            head,
            fitting.map(({ at_ms, principal, tool, outcome, body }) => ({
              at_ms,
              principal,
              tool,
              outcome,
              body,
            })),
          );
        for (const state of writers) await putRow(tx, 'audit_writers', ['writer'], state);
        if (done.length > 0)
          await tx.deleteFrom('audit_inbox').where('id', 'in', engine.anyOf(done)).execute();
        return rows.length < joinedRows ? undefined : rows.at(-1)?.id;
      },
      // The rows are already durable in the inbox.
      { durable: false },
    );
  }
  if (!key.isSettled) key.settle();
}

async function isHeadFree(engine: Engine, tx: Transaction<Tables>): Promise<boolean> {
  const head = tx.selectFrom('audit_head').select('id').where('id', '=', 1);
  return (await engine.lock(head, { skip: true }).executeTakeFirst()) !== undefined;
}

export async function isWaiting({ db }: Engine): Promise<boolean> {
  return (await findRow(db, 'audit_inbox', {})) !== undefined;
}

/** Describes the inbox records that cannot join the chain; undefined if all can. */
export async function findStuck(engine: Engine, key: AuditKey): Promise<Text | undefined> {
  const [rows, known] = await engine.read(async (tx) => [
    await listRows(tx, 'audit_inbox', {}, { by: 'id' }),
    await selectRows(tx, 'audit_writers').execute(),
  ]);
  const broken = known.find(
    ({ writer, n, hash, seal }) => sealWriter(key.secret, writer, n, hash).seal !== seal,
  );
  if (broken)
    return text(
      `Records of server ${broken.writer} were changed, or sealed with another key.`,
      `サーバー ${broken.writer} の記録が変更されたか、別の鍵で封印されています。`,
    );
  const [stuck] = sortOut(key, rows, known).stuck;
  return (
    stuck &&
    text(
      `Record ${stuck.n} of server ${stuck.writer} was changed, or one before it is missing.`,
      `サーバー ${stuck.writer} の記録 ${stuck.n} が変更されたか、それより前の記録がありません。`,
    )
  );
}

interface Sorted {
  /** To append to the chain, in order. */
  readonly fitting: readonly AuditInboxRow[];
  /** Ids of the fitting ones and of those already in the chain. */
  readonly done: readonly number[];
  readonly stuck: readonly AuditInboxRow[];
  readonly writers: readonly AuditWriterRow[];
}

function sortOut(key: AuditKey, rows: readonly AuditInboxRow[], known: readonly AuditWriterRow[]): Sorted {
  const { secret } = key;
  const writers = new Map(known.map((state) => [state.writer, state]));
  const moved = new Set<string>();
  const stuck: AuditInboxRow[] = [];
  const fitting: AuditInboxRow[] = [];
  const done: number[] = [];
  for (const row of rows) {
    const { writer, n } = row;
    const last = writers.get(writer) ?? sealWriter(secret, writer, 0, '');
    const isSealed = sealWriter(secret, writer, last.n, last.hash).seal === last.seal;
    // Stored again after a failure, although the first attempt had succeeded.
    const isOld = isSealed && n <= last.n;
    const follows =
      isSealed && n === last.n + 1 && waitingHash(secret, last.hash, writer, n, row) === row.hash;
    if (isOld || follows) done.push(row.id);
    if (follows) {
      fitting.push(row);
      writers.set(writer, sealWriter(secret, writer, n, row.hash));
      moved.add(writer);
    } else if (!isOld) stuck.push(row);
  }
  return { fitting, done, stuck, writers: [...writers.values()].filter(({ writer }) => moved.has(writer)) };
}

/** Rows of one transaction, under the lock of the head. */
const joinedRows = 500;
