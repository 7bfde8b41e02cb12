import type { Engine } from '../engine.ts';

/** The progress of embedding, for all users together. */
export interface Backlog {
  readonly memories: number;
  /** With a vector of the configured model. */
  readonly embedded: number;
  /** In the queue. */
  readonly waiting: number;
  /** Those of the waiting that were tried several times. */
  readonly refused: number;
}

export async function backlogOf({ db }: Engine, model: string): Promise<Backlog> {
  const { memories } = await db
    .selectFrom('memory_owners')
    .select(({ fn }) => fn.sum<number | null>('memories').as('memories'))
    .executeTakeFirstOrThrow();
  const embedded = await db
    .selectFrom('memory_vectors')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('model', '=', model)
    .where('due_at_ms', 'is', null)
    .executeTakeFirstOrThrow();
  const refused = await db
    .selectFrom('memory_vectors')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('model', '=', model)
    .where('due_at_ms', 'is not', null)
    .where('attempts', '>=', 4)
    .executeTakeFirstOrThrow();
  return {
    memories: Number(memories),
    embedded: Number(embedded.count),
    waiting: Number(memories) - Number(embedded.count),
    refused: Number(refused.count),
  };
}
