import type { RecalledMemory, RecallQuery } from '../../contract/memory.ts';
import type { Engine } from '../engine.ts';
import { memoryOf } from '../memories.ts';
import { wordsOf } from './words.ts';

export async function recallMemories(
  { db, memoryIndex }: Engine,
  owner: string,
  { query, limit }: RecallQuery,
): Promise<readonly RecalledMemory[]> {
  const seqs = await memoryIndex.candidates(owner, [...new Set(wordsOf(query))], limit);
  if (seqs.length === 0) return [];
  const rows = await db
    .selectFrom('memories')
    .selectAll()
    .where('owner', '=', owner)
    .where('seq', 'in', seqs)
    .execute();
  return rows.map((row) => ({ ...memoryOf(row), score: 1, lowConfidence: false }));
}
