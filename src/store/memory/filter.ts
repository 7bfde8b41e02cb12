import { type RawBuilder, sql } from 'kysely';
import type { MemoryFilter } from './index.ts';

/** A filter as a condition on `memories`; undefined if it excludes nothing. */
export function filterSql(
  { category, tags, sinceMs, untilMs }: MemoryFilter,
  positionFunction: 'instr' | 'strpos',
): RawBuilder<unknown> | undefined {
  const conditions: RawBuilder<unknown>[] = [];
  if (category !== undefined) conditions.push(sql`memories.category_key = ${category}`);
  if (sinceMs !== undefined) conditions.push(sql`memories.created_at_ms >= ${sinceMs}`);
  if (untilMs !== undefined) conditions.push(sql`memories.created_at_ms <= ${untilMs}`);
  for (const tag of tags) {
    conditions.push(sql`${sql.raw(positionFunction)}(memories.tags_key, ${`\n${tag}\n`}) > 0`);
  }
  return conditions.length > 0 ? sql.join(conditions, sql` and `) : undefined;
}
