import { sql } from 'kysely';
import type { SharedContents } from '../../contract/capabilities/history.ts';
import type { OpenEngine } from '../engine.ts';
import { insertNew } from '../rows.ts';

/** Contents as rows of a mebibyte, so that neither side holds a large one as one value. */
export function createSharedContents(openEngine: OpenEngine): SharedContents {
  return {
    async put(digest, parts) {
      const engine = await openEngine();
      const there = await engine.db
        .selectFrom('history_contents')
        .select('digest')
        .where('digest', '=', digest)
        .limit(1)
        .executeTakeFirst();
      if (there) {
        // Another server may be about to remove it as unused.
        const renewed = await engine.write((tx) =>
          tx
            .updateTable('history_contents')
            .set({ at_ms: engine.clockMs })
            .where('digest', '=', digest)
            .where('part', '=', 0)
            .executeTakeFirst(),
        );
        if (renewed.numUpdatedRows > 0n) return;
      }
      // In one transaction: a content is stored whole or not at all. It is not retried after a conflict, as its parts
      // can be read only once; concurrent writers of the same content do not conflict.
      const pieces = inPieces(parts);
      let isRead = false;
      await engine.write(async (tx) => {
        if (isRead) throw new Error('A content is sent once.');
        isRead = true;
        let part = 0;
        for await (const bytes of pieces) {
          await insertNew(tx, 'history_contents', { digest, part, bytes, at_ms: engine.clockMs });
          part += 1;
        }
      });
    },
    async read(digest) {
      const { db } = await openEngine();
      const rows = await db
        .selectFrom('history_contents')
        .select('bytes')
        .where('digest', '=', digest)
        .orderBy('part')
        .execute();
      return rows.length === 0 ? undefined : Buffer.concat(rows.map(({ bytes }) => bytes));
    },
    async all() {
      const { db } = await openEngine();
      const { rows } = await sql<{ digest: string; bytes: number; modifiedMs: number }>`
        select digest, sum(length(bytes))::bigint as bytes, max(at_ms) as "modifiedMs"
        from history_contents group by digest`.execute(db);
      return rows;
    },
    async remove(digests, beforeMs) {
      const engine = await openEngine();
      for (let at = 0; at < digests.length; at += together)
        await engine.write((tx) =>
          tx
            .deleteFrom('history_contents')
            .where('digest', 'in', (those) =>
              those
                .selectFrom('history_contents')
                .select('digest')
                .where('digest', 'in', digests.slice(at, at + together))
                .where('part', '=', 0)
                .where('at_ms', '<=', beforeMs),
            )
            .execute(),
        );
    },
  };
}

/** An empty content is one empty piece; no rows would mean that it does not exist. */
async function* inPieces(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  let isEmpty = true;
  for await (const part of parts) {
    for (let at = 0; at < part.length; at += pieceBytes) {
      isEmpty = false;
      yield Buffer.from(part.subarray(at, at + pieceBytes));
    }
  }
  if (isEmpty) yield Buffer.alloc(0);
}

const pieceBytes = 1024 * 1024;
const together = 200;
