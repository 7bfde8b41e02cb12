import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from '../contract/people/person.ts';
import type { AuditEntry } from '../contract/records.ts';
import { orElse } from '../ground/or-else.ts';
import type { ConsoleDependencies } from './dependencies.ts';
import { maySee } from './pages/view.ts';

/** A viewer of the feed: the person, and how entries are drawn for them. */
export interface Watcher {
  readonly person: Person;
  /** Calls after this one are shown. */
  readonly afterSeq: number;
  draw(entry: AuditEntry): string;
  /** Whether the login that began the stream is still valid. */
  isStillIn(): Promise<boolean>;
}

type Dependencies = Pick<ConsoleDependencies, 'now' | 'audit' | 'approvals' | 'onFault'>;

interface Stream {
  readonly watcher: Watcher;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  seq: number;
  waiting: string;
  checkedAtMs: number;
  saidAtMs: number;
}

/**
 * Calls as they happen, for any number of tabs with one query of the log, which runs while a tab is open. A reader that
 * does not keep up is dropped, and its browser reconnects with the number of the last call that it has.
 */
export class LiveFeed {
  readonly #dependencies: Dependencies;
  readonly #streams = new Set<Stream>();
  readonly #closing = new AbortController();
  #isLooking = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** A stream of server-sent events; undefined if too many are open. */
  watch(watcher: Watcher): ReadableStream<Uint8Array> | undefined {
    if (this.#streams.size >= mostStreams || this.#closing.signal.aborted) return undefined;
    let stream: Stream;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const nowMs = this.#dependencies.now();
          stream = {
            watcher,
            controller,
            seq: watcher.afterSeq,
            waiting: '-',
            checkedAtMs: nowMs,
            saidAtMs: nowMs,
          };
          this.#streams.add(stream);
          controller.enqueue(encoder.encode('retry: 2000\n\n'));
          this.#keepLooking();
        },
        cancel: () => void this.#streams.delete(stream),
      },
      { highWaterMark: 0 },
    );
  }

  close(): void {
    this.#closing.abort();
    for (const stream of [...this.#streams]) this.#drop(stream);
  }

  #drop(stream: Stream): void {
    if (!this.#streams.delete(stream)) return;
    // The reader has already left.
    orElse(() => stream.controller.close(), undefined);
  }

  #send(stream: Stream, event: string): void {
    if ((stream.controller.desiredSize ?? 0) < -mostWaiting) {
      this.#drop(stream);
      return;
    }
    stream.controller.enqueue(encoder.encode(event));
    stream.saidAtMs = this.#dependencies.now();
  }

  async #look(): Promise<void> {
    const log = await this.#dependencies.audit();
    const approvals = await this.#dependencies.approvals();
    while (this.#streams.size > 0 && !this.#closing.signal.aborted) {
      // A watcher that joins during the query is served by the next one: the result may begin after its position.
      const watching = [...this.#streams];
      const from = Math.min(...watching.map(({ seq }) => seq));
      // Only the newest of a burst: a reader cannot follow more, and the log's pages have the rest.
      const newest = await log.search({ afterSeq: from, limit: mostAtOnce, newestFirst: true });
      const entries = newest.toReversed();
      const pending = await approvals.list('pending', this.#dependencies.now());
      for (const stream of watching.filter((each) => this.#streams.has(each))) {
        this.#showCalls(stream, entries);
        const ids = pending
          .filter((record) => maySee(stream.watcher.person, record))
          .map(({ id }) => id)
          .join();
        if (ids !== stream.waiting) {
          stream.waiting = ids;
          this.#send(stream, 'event: approvals\ndata: changed\n\n');
        }
        if (this.#dependencies.now() - stream.saidAtMs > beatMs) this.#send(stream, ': still here\n\n');
        if (this.#dependencies.now() - stream.checkedAtMs > checkMs) {
          stream.checkedAtMs = this.#dependencies.now();
          if (!(await stream.watcher.isStillIn())) this.#drop(stream);
        }
      }
      await sleep(lookMs, undefined, { signal: this.#closing.signal, ref: false });
    }
  }

  #keepLooking(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#look()
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) this.#dependencies.onFault(error);
        for (const each of [...this.#streams]) this.#drop(each);
      })
      .finally(() => {
        this.#isLooking = false;
        // A watcher may have joined since the last query.
        if (this.#streams.size > 0) this.#keepLooking();
      });
  }

  #showCalls(stream: Stream, entries: readonly AuditEntry[]): void {
    const { person, draw } = stream.watcher;
    for (const entry of entries) {
      if (entry.seq <= stream.seq) continue;
      stream.seq = entry.seq;
      if (!maySee(person, entry)) continue;
      const data = draw(entry).replace(/\r?\n/g, '\ndata: ');
      this.#send(stream, `id: ${entry.seq}\ndata: ${data}\n\n`);
    }
  }
}

const encoder = new TextEncoder();
const lookMs = 300;
const mostAtOnce = 200;
const mostStreams = 100;
/** The number of events that a reader may be behind. */
const mostWaiting = 500;
const beatMs = 15_000;
/** Also counts as use of the session, so that an open page stays logged in. */
const checkMs = 20_000;
