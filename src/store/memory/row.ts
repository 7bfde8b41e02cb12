import type { Memory } from '../../contract/capabilities/memory.ts';
import type { MemoryRow } from '../tables/tables.ts';

/** A row as its owner sees it. */
export function memoryOf(row: Omit<MemoryRow, 'owner' | 'gist'>): Memory {
  return {
    id: row.id,
    content: row.content,
    category: row.category,
    tags: JSON.parse(row.tags) as string[],
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}
