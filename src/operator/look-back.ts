import type { HistoryEntry, HistoryQuery } from '../contract/capabilities/history.ts';
import type { AuditEntry, AuditQuery } from '../contract/records.ts';
import type { Digest, SessionStory } from '../contract/story.ts';
import { digestOf } from './digest.ts';
import { standingGrants } from './grants.ts';
import type { OperatorRooms } from './rooms.ts';
import { storyOf } from './story.ts';

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
