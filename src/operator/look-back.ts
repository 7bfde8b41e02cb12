import type { HistoryEntry, HistoryQuery } from '../contract/capabilities/history.ts';
import type { AnsweredLine, Digest, SessionStory, StandingGrant } from '../contract/people/story.ts';
import type { AuditEntry, AuditQuery } from '../contract/records.ts';
import { shownCall } from '../ground/questions/would-cover.ts';
import { standingGrants } from './grants.ts';
import type { OperatorRooms } from './rooms.ts';
import { countsOf, netChanges, sessionLine, storyOf } from './story.ts';

type Rooms = Pick<OperatorRooms, 'audit' | 'approvals' | 'changes' | 'now'>;

/** The story of one session; undefined if none of the newest calls is its own. */
export async function storyFrom(sessionId: string, rooms: Rooms): Promise<SessionStory | undefined> {
  const found = await entriesOf({ text: sessionId }, rooms);
  const own = found.entries.filter((entry) => entry.sessionId === sessionId);
  return storyOf(own, await changesOf({ sessionId }, rooms));
}

/** A digest of what has happened since then. */
export async function digestSince(sinceMs: number, rooms: Rooms): Promise<Digest> {
  const untilMs = rooms.now();
  const approvals = await rooms.approvals();
  const [found, history, grants, waiting] = await Promise.all([
    entriesOf({ sinceMs }, rooms),
    changesOf({ sinceMs }, rooms),
    approvals.grants(untilMs),
    approvals.list('pending', untilMs),
  ]);
  return digestOf({
    sinceMs,
    untilMs,
    history,
    waiting: waiting.length,
    ...found,
    grants: standingGrants(grants, untilMs),
  });
}

/** The newest matching entries, oldest first. */
async function entriesOf(
  query: Omit<AuditQuery, 'limit'>,
  { audit }: Rooms,
): Promise<{ readonly entries: readonly AuditEntry[]; readonly isCut: boolean }> {
  const log = await audit();
  const pages: (readonly AuditEntry[])[] = [];
  let beforeSeq: number | undefined;
  for (let rows = 0; rows < mostEntries; rows += pageRows) {
    const page = await log.search({ ...query, beforeSeq, limit: pageRows, newestFirst: true });
    pages.push(page);
    beforeSeq = page.at(-1)?.seq;
    if (page.length < pageRows) return { entries: pages.flat().reverse(), isCut: false };
  }
  return { entries: pages.flat().reverse(), isCut: true };
}

async function changesOf(
  query: Omit<HistoryQuery, 'limit'>,
  { changes }: Rooms,
): Promise<readonly HistoryEntry[]> {
  return (await (await changes()).list({ ...query, limit: mostChanges })).toReversed();
}

const pageRows = 2000;
const mostEntries = 20_000;
const mostChanges = 5000;

/** A period with its records, oldest first. */
interface While {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly entries: readonly AuditEntry[];
  readonly history: readonly HistoryEntry[];
  readonly grants: readonly StandingGrant[];
  readonly waiting: number;
  readonly isCut: boolean;
}

/** Summarizes a period: sessions, questions and their answers, changes, refusals. */
function digestOf({ sinceMs, untilMs, entries, history, grants, waiting, isCut }: While): Digest {
  const calls = entries.filter(({ tool }) => !tool.startsWith('sekisho '));
  const sessions = Map.groupBy(calls, ({ principal, sessionId }) => JSON.stringify([principal, sessionId]));
  const changed = new Set(history.map(({ auditId }) => auditId));
  const lines = [...sessions.values()].flatMap((own) => {
    const [first] = own;
    const line = sessionLine(
      own,
      history.filter((entry) => entry.sessionId === first?.sessionId),
    );
    return line ? [line] : [];
  });
  const within = (ms: number | undefined) => ms !== undefined && ms > untilMs && ms <= untilMs + dayMs;
  return {
    sinceMs,
    untilMs,
    isCut,
    calls: calls.length,
    counts: countsOf(calls, changed),
    sessions: lines.sort((one, other) => other.endedAtMs - one.endedAtMs).slice(0, mostLines),
    questions: { answered: answeredBy(entries), waiting },
    refusals: refusalsOf(calls),
    changes: netChanges(history).slice(0, mostLines),
    ending: grants.filter(({ endsAtMs }) => within(endsAtMs)),
    unused: grants.filter(({ isUnused }) => isUnused),
  };
}

/** Answers in the console or a terminal are separate entries; one in the client is part of its call's entry. */
function answeredBy(entries: readonly AuditEntry[]): readonly AnsweredLine[] {
  const answers = entries.flatMap((entry): Omit<AnsweredLine, 'times'>[] => {
    const { tool, arguments: given, outcome, principal, approver, code } = entry;
    if (tool === 'sekisho approve' && outcome === 'ok') {
      const decision = (given as { decision?: unknown } | undefined)?.decision;
      return decision === 'approved' || decision === 'declined' ? [{ by: principal, decision }] : [];
    }
    if (!approver?.startsWith('client ') || tool.startsWith('sekisho ')) return [];
    return [{ by: approver, decision: code === 'denied' ? 'declined' : 'approved' }];
  });
  const counted = Map.groupBy(answers, ({ by, decision }) => `${decision} ${by}`);
  return [...counted.values()]
    .flatMap((same) => same.slice(0, 1).map((line) => ({ ...line, times: same.length })))
    .sort((one, other) => other.times - one.times);
}

function refusalsOf(calls: readonly AuditEntry[]): Digest['refusals'] {
  const refused = calls.filter(({ code, rule }) => code === 'denied' && rule !== undefined);
  return [...Map.groupBy(refused, ({ rule = '' }) => rule)]
    .map(([rule, own]) => ({ rule, times: own.length, example: own[0] ? shownCall(own[0]) : '' }))
    .sort((one, other) => other.times - one.times);
}

const dayMs = 24 * 3_600_000;
const mostLines = 100;
