import { setTimeout as wait } from 'node:timers/promises';
import { type Embedder, EmbedError } from '../../contract/embedding.ts';
import type { Clock, OpenEngine } from '../engine.ts';
import { putOff, storeVectors, takeWaiting, type Waiting } from './queue.ts';
import { scanMemories } from './scan.ts';

export interface WorkerOptions {
  readonly openEngine: OpenEngine;
  readonly embedder: () => Promise<Embedder>;
  readonly model: string;
  readonly clock: Clock;
  readonly pace: Pace;
}

/** Waiting times; tests use shorter ones. */
export interface Pace {
  /** After the first failure; doubled after each further one. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** Between checks of an empty queue: another process may have died over its work. */
  readonly idleMs: number;
  /** How long one attempt may take; taken memories are free again after three times as long. */
  readonly attemptMs: number;
}

export const usualPace: Pace = {
  pauseMs: 1000,
  longestPauseMs: 300_000,
  idleMs: 60_000,
  attemptMs: 60_000,
};

/** Embeds queued memories in the background, possibly beside other processes on the same store. */
export type EmbeddingWorker = ReturnType<typeof createEmbeddingWorker>;

type Outcome =
  | { readonly kind: 'empty' }
  | { readonly kind: 'done'; readonly embedded: number }
  | { readonly kind: 'failed'; readonly error: unknown };

export function createEmbeddingWorker(options: WorkerOptions) {
  const { openEngine, model, clock, pace } = options;
  const closing = new AbortController();
  let running: Promise<void> | undefined;
  let called = Promise.withResolvers<void>();

  async function run(): Promise<void> {
    let scanned = false;
    for (let failures = 0; !closing.signal.aborted; ) {
      // Calls from here on count for the next round.
      called = Promise.withResolvers();
      const outcome = await attempt(async () => {
        if (!scanned) await scanMemories(await openEngine(), { model, nowMs: clock() }, closing.signal);
        scanned = true;
        // One text may make the server fail: after a failure, send each separately so that the others succeed.
        return embedSome(options, closing.signal, failures === 0 ? together : 1);
      });
      if (outcome.kind === 'failed') {
        failures += 1;
        await pause(pauseAfter(outcome.error, failures, pace), closing.signal);
        continue;
      }
      failures = 0;
      if (outcome.kind === 'done') continue;
      await Promise.race([called.promise, pause(pace.idleMs, closing.signal)]);
    }
  }

  return {
    /** New memories wait. The first call also looks for left-over ones. */
    wake() {
      running ??= run();
      called.resolve();
    },
    /** Embeds all that wait now, with a `problem` if it fails; with `all`, every memory again. */
    async drain({
      all = false,
      signal,
      progress,
    }: {
      readonly all?: boolean;
      readonly signal: AbortSignal;
      progress(embedded: number): void;
    }): Promise<{ readonly embedded: number; readonly problem?: string | undefined }> {
      const stop = AbortSignal.any([signal, closing.signal]);
      await scanMemories(await openEngine(), { model, nowMs: clock(), all }, stop);
      for (let embedded = 0; ; ) {
        stop.throwIfAborted();
        const outcome = await attempt(() => embedSome(options, stop, together));
        if (outcome.kind === 'empty') return { embedded };
        if (outcome.kind === 'failed') return { embedded, problem: String(Object(outcome.error).message) };
        embedded += outcome.embedded;
        progress(embedded);
      }
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}

/** A store that cannot be written now is also a reason to wait. */
async function attempt(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    return { kind: 'failed', error };
  }
}

async function embedSome(options: WorkerOptions, signal: AbortSignal, count: number): Promise<Outcome> {
  const { openEngine, embedder, model, clock, pace } = options;
  const engine = await openEngine();
  const nowMs = clock();
  const taken = await takeWaiting(engine, { model, nowMs, untilMs: nowMs + 3 * pace.attemptMs, count });
  if (taken.length === 0) return { kind: 'empty' };
  const embed = async (memories: readonly Waiting[]) =>
    (await embedder()).embed(
      memories.map(textOf),
      AbortSignal.any([signal, AbortSignal.timeout(pace.attemptMs)]),
    );
  const left = new Set(taken.map(({ seq }) => seq));
  async function keep(memories: readonly Waiting[], vectors: readonly Float32Array[]): Promise<void> {
    const embedded = memories.flatMap((memory, at) => {
      const vector = vectors[at];
      return vector ? [{ ...memory, vector }] : [];
    });
    await storeVectors(engine, model, embedded);
    for (const { seq } of memories) left.delete(seq);
  }

  let embedded = 0;
  try {
    const groups = await embed(taken).then(
      (vectors) => keep(taken, vectors).then(() => []),
      (error: unknown) => {
        // The server may reject only one of the texts, so send each separately.
        if (!isAboutTexts(error)) throw error;
        return taken.map((memory) => [memory]);
      },
    );
    embedded = taken.length - left.size;
    for (const group of groups) {
      try {
        await keep(group, await embed(group));
        embedded += 1;
      } catch (error) {
        if (!isAboutTexts(error)) throw error;
        const [memory] = group;
        if (!memory) continue;
        // The next attempt sends a shorter part of it.
        await putOff(engine, [memory.seq], clock() + retryMs(memory.attempts, pace));
        left.delete(memory.seq);
      }
    }
    return { kind: 'done', embedded };
  } catch (error) {
    const dueAtMs = clock() + (signal.aborted ? 0 : pace.pauseMs);
    // If the store failed, they stay claimed until their lease ends; `error` is the one reported.
    await putOff(engine, [...left], dueAtMs, { untried: true }).catch(() => {});
    return { kind: 'failed', error };
  }
}

/** Models read a limited length; after a rejection the text is cut shorter. */
function textOf({ content, attempts }: Waiting): string {
  return content.slice(0, [8000, 2000, 500][attempts - 1] ?? 200).toWellFormed();
}

function isAboutTexts(error: unknown): boolean {
  return error instanceof EmbedError && error.kind === 'texts';
}

function pauseAfter(error: unknown, failures: number, pace: Pace): number {
  const wantedMs = error instanceof EmbedError ? (error.retryAfterMs ?? 0) : 0;
  return Math.max(wantedMs, Math.min(pace.longestPauseMs, pace.pauseMs * 2 ** (failures - 1)));
}

function retryMs(attempts: number, pace: Pace): number {
  // Retry the shorter texts soon; after the third, length is not the problem.
  return attempts < 4 ? 0 : Math.min(longestRetryMs, pace.pauseMs * 60 * 2 ** (attempts - 4));
}

/** Ends early if the signal aborts, and does not keep the process alive. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return wait(ms, undefined, { signal, ref: false }).catch(() => {});
}

const together = 32;
const longestRetryMs = 86_400_000;
