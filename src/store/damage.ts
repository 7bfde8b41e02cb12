import { sql } from 'kysely';
import type { OpenEngine } from './engine.ts';

/** Describes damage to the pages of the SQLite file; undefined if there is none. PostgreSQL checks its own. */
export async function findDamage(openEngine: OpenEngine): Promise<string | undefined> {
  const { kind, db } = await openEngine();
  if (kind !== 'sqlite') return undefined;
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db);
  // A heading may come first.
  const found = rows[0]?.quick_check.split('\n').at(-1) ?? '';
  return found === 'ok' ? undefined : found;
}
