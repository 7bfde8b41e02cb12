import type { Covered } from '../../contract/operator.ts';
import type { AuditLog, GrantWanted } from '../../contract/records.ts';
import { coveredAmong } from '../../ground/questions/would-cover.ts';

/** The number of newest calls that are searched. */
const newestCalls = 1000;

/** The recent calls of the same caller that a standing approval would have let pass. */
export async function wouldCover(
  wanted: Pick<GrantWanted, 'principal' | 'tool' | 'grant'>,
  log: AuditLog,
): Promise<Covered> {
  const entries = await log.search({ limit: newestCalls, newestFirst: true });
  return coveredAmong(entries, { ...wanted, scope: 'always' });
}
