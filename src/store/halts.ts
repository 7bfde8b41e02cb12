import type { Halt, Halts } from '../contract/halt.ts';
import type { OpenEngine } from './engine.ts';
import { deleteRows, findRow, putRow } from './rows.ts';

/** A row that stops all servers on one PostgreSQL while it exists. */
export class StoreHalts implements Halts {
  readonly #openEngine: OpenEngine;
  #known: { readonly halt: Halt | undefined; readonly atMs: number } | undefined;

  constructor(openEngine: OpenEngine) {
    this.#openEngine = openEngine;
  }

  /** While it is watched, the row is read once a second and at each change, and not for each call. */
  async current(): Promise<Halt | undefined> {
    if (this.#known && performance.now() - this.#known.atMs < 2 * lookMs) return this.#known.halt;
    return this.#read();
  }

  async set(halt: Halt | undefined): Promise<void> {
    const { write, changes } = await this.#openEngine();
    await write(async (tx) => {
      if (halt) await putRow(tx, 'halts', ['id'], { id: 1, by_name: halt.by, at_ms: halt.sinceMs });
      else await deleteRows(tx, 'halts', { id: 1 });
    });
    this.#known = undefined;
    changes.tell(topic);
  }

  watch(onHalt: () => void, signal: AbortSignal): void {
    void (async () => {
      const { changes } = await this.#openEngine();
      while (!signal.aborted) {
        const next = changes.next(topic, lookMs, signal);
        // The next look gets what a failed one could not; meanwhile each call reads the row itself.
        const halt = await this.#read().catch(() => undefined);
        if (halt) onHalt();
        await next;
      }
      // Unwatched, each call reads the row itself, and fails if it cannot.
    })().catch(() => {});
  }

  async #read(): Promise<Halt | undefined> {
    const { db } = await this.#openEngine();
    const row = await findRow(db, 'halts', { id: 1 });
    const halt = row && { sinceMs: row.at_ms, by: row.by_name };
    this.#known = { halt, atMs: performance.now() };
    return halt;
  }
}

const topic = 'halts';
const lookMs = 1000;
