import type { HeldLayer, RunResult } from '../../contract/capabilities/process.ts';
import type { ApprovalStore } from '../../contract/records.ts';
import { deferred } from '../../ground/waiting/defer.ts';
import type { Validated } from '../slips.ts';

/** A command that ran, and whose effects wait on their layer for a person. */
export interface LayerQuestion {
  readonly layer: HeldLayer;
  readonly result: RunResult;
  /** The digest of the question: it fits this layer and no other. */
  readonly digest: string;
  /** The question; undefined before it is asked. */
  questionId?: string | undefined;
}

/**
 * Layers whose question is open. The same call sent again continues with its layer and runs nothing. They live in this
 * process: at its end, or if no answer comes in time, they are discarded and their questions are closed.
 */
export type LayerQuestions = ReturnType<typeof createLayerQuestions>;

type Owner = Pick<Validated, 'caller' | 'call'>;

interface Kept extends LayerQuestion {
  readonly connectionId: string | undefined;
  readonly timer: NodeJS.Timeout;
}

export function createLayerQuestions(options: {
  readonly approvals: () => Promise<ApprovalStore>;
  readonly now: () => number;
}) {
  const pending = new Map<string, Kept>();
  const ending = new Set<Promise<void>>();

  function remove(key: string): Kept | undefined {
    const found = pending.get(key);
    if (found) clearTimeout(found.timer);
    pending.delete(key);
    return found;
  }

  function drop(key: string): Promise<void> {
    const found = remove(key);
    if (!found) return Promise.resolve();
    const ended = end(found, options).finally(() => ending.delete(ended));
    ending.add(ended);
    return ended;
  }

  async function dropAll(keys: Iterable<string>): Promise<void> {
    await Promise.all([...keys].map(drop));
  }

  return {
    has: (owner: Owner, digest: string) => pending.has(keyOf(owner, digest)),
    /** Removes the layer and returns it, so that two calls cannot continue with the same one. */
    take: (owner: Owner, digest: string): LayerQuestion | undefined => remove(keyOf(owner, digest)),
    async put(owner: Owner, digest: string, question: LayerQuestion) {
      const key = keyOf(owner, digest);
      await drop(key);
      // A question that cannot be closed now expires at the same time.
      const timer = setTimeout(() => void drop(key).catch(() => undefined), pendingLayerMs);
      timer.unref();
      pending.set(key, { ...question, connectionId: owner.call.arrival.connectionId, timer });
      // Drops the oldest first: a layer may be as large as the disk can spare.
      await dropAll([...pending.keys()].slice(0, Math.max(0, pending.size - mostPending)));
    },
    /** Discards the layers of a connection that has ended. */
    async leave(connectionId: string) {
      await dropAll(
        [...pending].filter(([, kept]) => kept.connectionId === connectionId).map(([key]) => key),
      );
    },
    async close() {
      await dropAll(pending.keys());
      await Promise.all(ending);
    },
  };
}

/** Closes its question as well: an approval would have no effect. */
async function end(
  { layer, questionId }: LayerQuestion,
  { approvals, now }: Parameters<typeof createLayerQuestions>[0],
): Promise<void> {
  await using _ = deferred(() => layer.discard());
  if (questionId !== undefined)
    await (await approvals()).decide(questionId, 'declined', 'the server, as its layer went', 'once', now());
}

function keyOf({ caller }: Owner, digest: string): string {
  return `${caller.principal}\0${caller.sessionId}\0${digest}`;
}

/** How long a layer waits for its answer. */
export const pendingLayerMs = 60 * 60_000;
const mostPending = 8;
