import type { AuditLog } from '../../contract/records.ts';
import type { AuditKey } from '../audit/key.ts';
import type { Engine } from '../engine.ts';
import { randomId } from '../random-id.ts';
import { forgetRecords } from './forget-records.ts';

/** How long to keep what grows with every call. Undefined: forever. */
export interface RetentionRule {
  readonly auditMs?: number | undefined;
  readonly eventsMs?: number | undefined;
}

export interface Forgotten {
  readonly records: number;
  readonly events: number;
}

/** Removes what is older than the rule allows, and records that if anything was removed. */
export async function forgetOld(
  engine: Engine,
  audit: AuditLog,
  key: AuditKey,
  { auditMs, eventsMs }: RetentionRule,
): Promise<Forgotten> {
  const nowMs = engine.now();
  const events = eventsMs === undefined ? 0 : await forgetEvents(engine, nowMs - eventsMs);
  // Waiting records are written first, so that the chain is complete before it is cut.
  await audit.flush();
  const records = auditMs === undefined ? 0 : await forgetRecords(engine, key, nowMs - auditMs);
  if (records + events > 0) {
    await audit.write({
      id: randomId('ret_', 16),
      atMs: nowMs,
      principal: 'server',
      sessionId: '',
      transport: 'cli',
      tool: 'retention',
      arguments: { auditMs, eventsMs },
      stop: 'run',
      outcome: 'ok',
      durationMs: 0,
      inputBytes: 0,
      outputBytes: 0,
      facts: { records, events },
    });
  }
  return { records, events };
}

/** Events of ended tasks. The newest of a project stays: sessions remember their reading position by it. */
async function forgetEvents(engine: Engine, beforeMs: number): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const gone = await engine.write(async (tx) => {
      const old = await tx
        .selectFrom('task_events as e')
        .innerJoin('tasks as t', 't.id', 'e.task_id')
        .select('e.seq')
        .where('e.at_ms', '<', beforeMs)
        .where('t.status', 'in', ['done', 'cancelled'])
        .where(({ eb, selectFrom }) =>
          eb(
            'e.seq',
            '<',
            selectFrom('task_events as n')
              .select((of) => of.fn.max('n.seq').as('seq'))
              .whereRef('n.project_id', '=', 'e.project_id'),
          ),
        )
        .orderBy('e.at_ms')
        .limit(pageRows)
        .execute();
      if (old.length > 0)
        await tx
          .deleteFrom('task_events')
          .where('seq', 'in', engine.anyOf(old.map(({ seq }) => seq)))
          .execute();
      return old.length;
    });
    forgotten += gone;
    if (gone < pageRows) return forgotten;
  }
}

const pageRows = 1000;
