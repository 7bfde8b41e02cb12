import type { ApprovalStore } from '../../contract/records.ts';
import { coveredBy } from '../../ground/questions/grant-rules.ts';
import type { OpenEngine } from '../engine.ts';
import { findRow, listRows, matching, updateRows } from '../rows.ts';
import type { ApprovalRow } from '../tables/tables.ts';
import { given, listed, recordOf, standingScopes, topic } from './record.ts';

/** Approvals that cover more than one call: finding, listing and revoking them. */
export function createStanding(
  openEngine: OpenEngine,
): Pick<ApprovalStore, 'standing' | 'grants' | 'revoke'> {
  return {
    async standing(wanted, nowMs) {
      const engine = await openEngine();
      const { principal, tool } = wanted;
      const like = { principal, tool, status: given, scope: standingScopes, 'grant_text <>': null };
      const rows = await listRows(engine.db, 'approvals', like, newest);
      const here = rows.filter(
        (row) => stands(row, nowMs) && (row.scope !== 'session' || row.session_id === wanted.sessionId),
      );
      const yeses = here.map((row) => recordOf(row, nowMs));
      const found = coveredBy(yeses, wanted);
      if (found && (found.lastUsedAtMs ?? 0) < nowMs - betweenNotesMs) {
        await engine.write((tx) => updateRows(tx, 'approvals', { id: found.id }, { last_used_at_ms: nowMs }));
      }
      return found;
    },

    async grants(nowMs) {
      const { db } = await openEngine();
      const rows = await listRows(db, 'approvals', { scope: standingScopes, status: given }, newest);
      return rows.filter((row) => stands(row, nowMs)).map((row) => recordOf(row, nowMs));
    },

    async revoke(id, nowMs) {
      const engine = await openEngine();
      const done = await engine.write(async (tx) => {
        const row = await findRow(tx, 'approvals', { id, scope: standingScopes, status: given });
        if (!row || !stands(row, nowMs)) return false;
        const { principal, tool, grant_text } = row;
        const like = { principal, tool, grant_text, scope: standingScopes };
        const same = matching(tx.updateTable('approvals'), like)
          // Revoking a narrow approval keeps narrow ones of other sessions and folders; a wide one covered them all.
          .where((where) =>
            row.scope === 'always' || row.scope === 'until'
              ? where.lit(true)
              : where.or([
                  row.scope === 'session'
                    ? where.and([where('scope', '=', 'session'), where('session_id', '=', row.session_id)])
                    : where.and([where('scope', '=', 'folder'), where('folder', '=', row.folder)]),
                  where('scope', 'in', ['always', 'until']),
                ]),
          );
        // An approval that no call has taken yet is revoked as well.
        await same.set({ status: 'expired' }).where('status', '=', 'approved').execute();
        await same.set({ scope: 'once' }).execute();
        return true;
      });
      if (done) engine.changes.tell(topic);
      return done;
    },
  };
}

const newest = { by: 'created_at_ms desc', limit: listed } as const;

/** A session's approval ends when its question expires, one `until` a time then; the others never end. */
function stands({ scope, expires_at_ms, until_ms }: ApprovalRow, nowMs: number): boolean {
  if (scope === 'session') return expires_at_ms > nowMs;
  return scope !== 'until' || (until_ms !== null && until_ms > nowMs);
}

/** Use is noted at most this often, so that calls need not wait for it each time. */
const betweenNotesMs = 60_000;
