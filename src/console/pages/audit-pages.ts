import type { AuditEntry, AuditLog } from '../../contract/records.ts';

/** A search of the log, as in its form. */
export interface CallQuery {
  readonly text?: string | undefined;
  readonly tool?: string | undefined;
  readonly principal?: string | undefined;
  readonly session?: string | undefined;
  readonly outcome?: string | undefined;
  readonly since?: string | undefined;
  readonly before?: number | undefined;
  /** Milliseconds: a stretch of a chart. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** Where to continue; undefined at the end of the log. */
  readonly next?: number | undefined;
  /** Set if the search stopped before the page was full: a rare word in a long log. */
  readonly searchedToMs?: number | undefined;
}

/** Reads the query of an address; invalid values count as absent. */
export function queryOf(here: URL): CallQuery {
  const word = (name: string) => here.searchParams.get(name)?.trim().slice(0, 200) || undefined;
  const number = (name: string) => {
    const value = Number(word(name));
    return Number.isSafeInteger(value) && value > 0 ? value : undefined;
  };
  return {
    text: word('text'),
    tool: word('tool'),
    principal: word('principal'),
    session: word('session'),
    outcome: word('outcome'),
    since: word('since'),
    before: number('before'),
    from: number('from'),
    to: number('to'),
  };
}

/**
 * A page of the log, newest first. It goes back by sequence number in steps and stops after a bounded number of rows,
 * so that a page takes equally long in a log of any length.
 */
export async function searchPage(
  log: AuditLog,
  query: CallQuery,
  own: string | undefined,
  nowMs: number,
): Promise<AuditPage> {
  const sinceMs =
    query.from ?? (query.since === undefined ? undefined : nowMs - (spansMs.get(query.since) ?? 0));
  const [newest] = await log.search({ beforeSeq: query.before, limit: 1, newestFirst: true });
  if (!newest) return { entries: [] };
  const entries: AuditEntry[] = [];
  let before = newest.seq + 1;
  for (let searched = 0; searched < mostRows; searched += stretchRows) {
    const afterSeq = Math.max(0, before - 1 - stretchRows);
    const found = await log.search({
      text: query.text,
      tool: query.tool,
      principal: own ?? query.principal,
      sessionId: query.session,
      outcome: query.outcome,
      sinceMs,
      untilMs: query.to,
      beforeSeq: before,
      afterSeq,
      limit: pageRows + 1 - entries.length,
      newestFirst: true,
    });
    entries.push(...found);
    if (entries.length > pageRows) {
      const page = entries.slice(0, pageRows);
      return { entries: page, next: page.at(-1)?.seq };
    }
    before = afterSeq + 1;
    if (afterSeq === 0) return { entries };
    const [last] = await log.search({ beforeSeq: before, limit: 1, newestFirst: true });
    if (!last || (sinceMs !== undefined && last.atMs < sinceMs - clockSlackMs)) return { entries };
    if (searched + stretchRows >= mostRows) return { entries, next: before, searchedToMs: last.atMs };
  }
  return { entries };
}

/** One entry by its number. */
export async function entryAt(log: AuditLog, seq: number): Promise<AuditEntry | undefined> {
  const [entry] = await log.search({ afterSeq: seq - 1, beforeSeq: seq + 1, limit: 1 });
  return entry;
}

const spansMs = new Map([
  ['hour', 3_600_000],
  ['day', 86_400_000],
  ['week', 7 * 86_400_000],
]);
const pageRows = 50;
const stretchRows = 5000;
const mostRows = 50_000;
/** Clocks of servers on one store may differ, so times in the log are only almost in order. */
const clockSlackMs = 600_000;
