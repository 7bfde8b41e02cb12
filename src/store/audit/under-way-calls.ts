import { ToolError } from '../../contract/error.ts';
import type { AuditRecord, StartNote, UnderWayNotes } from '../../contract/records.ts';
import { text } from '../../contract/text/text.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { sharingNext } from '../../ground/waiting/sharing.ts';
import type { Engine } from '../engine.ts';
import { listRows } from '../rows.ts';

/** Calls that have begun but whose records are not written yet. */
export type UnderWayCalls = ReturnType<typeof createUnderWayCalls>;

export function createUnderWayCalls(notes: UnderWayNotes) {
  const open = new Map<string, AuditRecord>();
  const sync = sharingNext(() =>
    // If calls always overlap, notes of ended ones would stay forever without a restart.
    notes.bytes() > restartBytes ? notes.restart([...open.values()]) : notes.sync(),
  );

  return {
    async begin(record: AuditRecord, mayChange: boolean): Promise<StartNote> {
      try {
        // Leave room for the record, too: a call must not fill the disk and then be unable to record itself.
        if (mayChange && notes.freeBytes() < roomBytes) throw noRoom();
        notes.begin(record);
        open.set(record.id, record);
        if (notes.bytes() > restartBytes) await sync();
      } catch (error) {
        throw asToolError(error);
      }
      return {
        durable: () =>
          sync().catch((error) => {
            throw asToolError(error);
          }),
      };
    },
    written(ids: readonly string[]) {
      const ended = ids.filter((id) => open.delete(id)).length;
      if (ended > 0) notes.end(ended);
    },
    /** Records of calls that dead servers began but did not record; `done` removes the notes once they are written. */
    async left(engine: Engine): Promise<{ readonly records: readonly AuditRecord[]; done(): void }> {
      const logs = notes.left();
      // A server that died while rewriting its open notes left them twice.
      const all = logs.flatMap((log) => log.notes.filter(isRecord));
      const begun = [...new Map(all.map((record) => [record.id, record])).values()];
      const known = begun.length === 0 ? new Set<string>() : await idsSince(engine, oldest(begun));
      return {
        records: begun
          .filter(({ id }) => !known.has(id))
          .map((record) => ({ ...record, outcome: 'interrupted' })),
        done: () => {
          for (const log of logs) log.done();
        },
      };
    },
    close: () => notes.close(),
  };
}

/** Notes of a dead process are untrusted until their shape is checked. */
function isRecord(note: unknown): note is AuditRecord {
  const { id, atMs, tool, principal } = Object(note) as Partial<Record<keyof AuditRecord, unknown>>;
  return [id, tool, principal].every((word) => typeof word === 'string') && typeof atMs === 'number';
}

function oldest(records: readonly AuditRecord[]): number {
  return Math.min(...records.map(({ atMs }) => atMs));
}

/** The ids of all records since then, newest first. */
async function idsSince({ db }: Engine, atMs: number): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const rows = await listRows(db, 'audit', { 'seq <': before }, { by: 'seq desc', limit: pageRows });
    for (const { body } of rows) ids.add(String((JSON.parse(body) as { id?: unknown }).id));
    const last = rows.at(-1);
    if (!last || rows.every((row) => Number(row.at_ms) < atMs - clocksMs)) return ids;
    before = Number(last.seq);
  }
}

function asToolError(cause: unknown): unknown {
  if (cause instanceof ToolError) return cause;
  return ['ENOSPC', 'EDQUOT'].includes(errnoCode(cause) ?? '') ? noRoom(cause) : unwritable(cause);
}

function noRoom(cause?: unknown): ToolError {
  return new ToolError(
    'storage_full',
    'The disk that holds the server’s records is full, so the call was not run.',
    'サーバーの記録を置くディスクがいっぱいのため、呼び出しを実行しませんでした。',
    {
      suggestion: text(
        'Nothing was changed. Ask the operator to free space.',
        '何も変更されていません。運用者に空き容量の確保を頼んでください。',
      ),
      cause,
    },
  );
}

function unwritable(cause: unknown): ToolError {
  return new ToolError(
    'unavailable',
    'The server cannot write its records now, so the call was not run.',
    'サーバーが記録を書き込めないため、呼び出しを実行しませんでした。',
    {
      suggestion: text(
        'Nothing was changed. If this persists, the operator can find the reason in the server’s log.',
        '何も変更されていません。続く場合は、運用者がサーバーのログで原因を確認できます。',
      ),
      cause,
    },
  );
}

const roomBytes = 1024 * 1024;
const restartBytes = 1024 * 1024;
const pageRows = 500;
/** The most by which clocks of servers on one store may differ. */
const clocksMs = 60_000;
