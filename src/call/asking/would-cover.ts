import type { Covered } from '../../contract/operator.ts';
import type { AuditLog, GrantWanted } from '../../contract/records.ts';
import { coveredAmong } from '../../ground/questions/would-cover.ts';

/** So many of the newest calls are looked at. */
const newestCalls = 1000;

/** What a yes to all like it would have let pass of late, of the same caller. */
export async function wouldCover(
  wanted: Pick<GrantWanted, 'principal' | 'tool' | 'grant'>,
  log: AuditLog,
): Promise<Covered> {
  const entries = await log.search({ limit: newestCalls, newestFirst: true });
  return coveredAmong(entries, { ...wanted, scope: 'always' });
}
