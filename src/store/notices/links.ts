import type { Bound, NoticeLink, NoticeStore } from '../../contract/notice.ts';
import type { OpenEngine } from '../engine.ts';
import { findRow, insertRow } from '../rows.ts';
import { hashOf, isSecret, newSecret } from '../secret.ts';
import type { NoticeTables } from '../tables/notices.ts';

/** The links in notices. A single statement takes one that answers, so it works only once. */
export function createLinks(
  openEngine: OpenEngine,
): Pick<NoticeStore, 'createLink' | 'findLink' | 'takeLink'> {
  return {
    async createLink({ kind, channel, questions, expiresAtMs }) {
      const engine = await openEngine();
      const secret = newSecret();
      const row = {
        hash: hashOf(secret),
        kind,
        channel,
        expires_at_ms: expiresAtMs,
        questions: JSON.stringify(questions),
      };
      await engine.write(async (tx) => {
        // Links end with their questions; delete expired ones.
        await tx
          .deleteFrom('notice_links')
          .where('expires_at_ms', '<=', Date.now() - dayMs)
          .execute();
        await insertRow(tx, 'notice_links', row);
      });
      return secret;
    },

    async findLink(secret, nowMs) {
      if (!isSecret(secret)) return undefined;
      const { db } = await openEngine();
      const row = await findRow(db, 'notice_links', { hash: hashOf(secret) });
      return row && linkOf(row, nowMs);
    },

    async takeLink(secret, nowMs) {
      if (!isSecret(secret)) return undefined;
      const engine = await openEngine();
      const row = await engine.write((tx) =>
        tx
          .deleteFrom('notice_links')
          .where('hash', '=', hashOf(secret))
          .where('kind', '!=', 'view')
          .returningAll()
          .executeTakeFirst(),
      );
      return row && linkOf(row, nowMs);
    },
  };
}

function linkOf(row: NoticeTables['notice_links'], nowMs: number): NoticeLink | undefined {
  if (row.expires_at_ms <= nowMs) return undefined;
  return {
    kind: row.kind as NoticeLink['kind'],
    channel: row.channel,
    questions: JSON.parse(row.questions) as Bound[],
    expiresAtMs: row.expires_at_ms,
  };
}

const dayMs = 24 * 60 * 60_000;
