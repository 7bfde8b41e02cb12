import { type Embedder, EmbedError } from '../../contract/embedding.ts';
import type { Clock, Engine, OpenEngine } from '../engine.ts';
import type { MemoryFilter } from '../memory/index.ts';
import { countRows, findRow } from '../rows.ts';
import { createCodeCache } from './code-cache.ts';
import { type Near, nearestMemories } from './nearest.ts';
import { createEmbeddingWorker, type EmbeddingWorker, type Pace, usualPace } from './worker.ts';

export interface EmbeddingOptions {
  readonly model: string;
  /** How long a query may wait for its vector and for its neighbours. */
  readonly questionMs: number;
  /** Created on first use. */
  readonly embedder: () => Promise<Embedder>;
  readonly pace?: Pace | undefined;
}

/** Finds memories by meaning, in addition to words. */
export interface Meaning extends Pick<EmbeddingWorker, 'wake' | 'drain' | 'close'> {
  /** Memories near a query in meaning; empty if they are not available in time. Never throws, never takes longer. */
  near(engine: Engine, owner: string, query: string, filter: MemoryFilter): Promise<readonly Near[]>;
  backlog(): ReturnType<typeof backlogOf>;
  /** Embeds one word to test the server: the length of its vectors, or the problem. */
  probe(timeoutMs: number): Promise<{ readonly dimensions: number } | { readonly problem: string }>;
}

export function createMeaning(openEngine: OpenEngine, clock: Clock, options: EmbeddingOptions): Meaning {
  const { model, questionMs, embedder } = options;
  const worker = createEmbeddingWorker({
    openEngine,
    embedder,
    model,
    clock,
    pace: options.pace ?? usualPace,
  });
  const breaker = createBreaker(clock);
  const cache = createCodeCache();
  /** Owners with nothing to compare, and when to try them again. */
  const fruitless = new Map<string, number>();

  async function vectorOf(query: string, signal: AbortSignal): Promise<Float32Array | undefined> {
    try {
      const [vector] = await (await embedder()).embed([query], signal);
      breaker.succeeded();
      return vector;
    } catch (error) {
      // A query that is too long for the model says nothing about the server.
      if (error instanceof EmbedError && error.kind === 'texts') breaker.succeeded();
      else breaker.failed(error instanceof EmbedError ? error.retryAfterMs : undefined);
      return undefined;
    }
  }

  async function look(
    engine: Engine,
    owner: string,
    query: string,
    filter: MemoryFilter,
    signal: AbortSignal,
  ): Promise<readonly Near[]> {
    const totals = await findRow(engine.db, 'memory_owners', { owner });
    // An owner without vectors has nothing to compare, so no request is sent.
    if (!totals || totals.memories === 0 || totals.vector_rev === 0) return [];
    if (clock() < (fruitless.get(owner) ?? 0) || !breaker.mayAsk()) return [];
    const vector = await vectorOf(query, signal);
    if (!vector) return [];
    const space = { owner, model, dimensions: vector.length };
    const now = { rev: totals.vector_rev, memories: totals.memories };
    const set = await cache.codes(engine, space, now);
    if (set.size > 0) return nearestMemories(engine, set, space, vector, filter);
    // All vectors are of another model, or of another length than the server returns now.
    if (fruitless.size >= ownersNoted) fruitless.clear();
    fruitless.set(owner, clock() + fruitlessMs);
    return [];
  }

  return {
    wake: worker.wake,
    drain: worker.drain,
    close: worker.close,
    near(engine, owner, query, filter) {
      const { promise, resolve } = Promise.withResolvers<readonly Near[]>();
      const signal = AbortSignal.timeout(questionMs);
      // Codes that are still loading serve the next query.
      signal.addEventListener('abort', () => resolve([]));
      look(engine, owner, query, filter, signal).then(resolve, () => resolve([]));
      return promise;
    },
    backlog: async () => backlogOf(await openEngine(), model),
    async probe(timeoutMs) {
      try {
        const [vector] = await (await embedder()).embed(['sekisho'], AbortSignal.timeout(timeoutMs));
        return { dimensions: vector?.length ?? 0 };
      } catch (error) {
        return { problem: String(Object(error).message) };
      }
    },
  };
}

const fruitlessMs = 60_000;
const ownersNoted = 10_000;

/** The progress of embedding, for all users together. */
interface Backlog {
  readonly memories: number;
  /** With a vector of the configured model. */
  readonly embedded: number;
  /** In the queue. */
  readonly waiting: number;
  /** Those of the waiting that were tried several times. */
  readonly refused: number;
}

async function backlogOf({ db }: Engine, model: string): Promise<Backlog> {
  const { memories } = await db
    .selectFrom('memory_owners')
    .select(({ fn }) => fn.sum<number | null>('memories').as('memories'))
    .executeTakeFirstOrThrow();
  const embedded = await countRows(db, 'memory_vectors', { model, due_at_ms: null });
  const refused = await countRows(db, 'memory_vectors', { model, 'due_at_ms <>': null, 'attempts >=': 4 });
  return { memories: Number(memories), embedded, waiting: Number(memories) - embedded, refused };
}

/** Two failures in a row open it. */
export function createBreaker(clock: Clock) {
  let failures = 0;
  let closedAtMs = 0;
  return {
    mayAsk() {
      if (failures < failuresAllowed) return true;
      const nowMs = clock();
      if (nowMs < closedAtMs) return false;
      // While this one tries, others are not let through.
      closedAtMs = nowMs + firstPauseMs;
      return true;
    },
    succeeded() {
      failures = 0;
    },
    failed(retryAfterMs: number = 0) {
      failures += 1;
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.max(0, failures - failuresAllowed));
      closedAtMs = clock() + Math.max(pauseMs, retryAfterMs);
      if (retryAfterMs > 0) failures = Math.max(failures, failuresAllowed);
    },
  };
}

const failuresAllowed = 2;
const firstPauseMs = 15_000;
const longestPauseMs = 300_000;
