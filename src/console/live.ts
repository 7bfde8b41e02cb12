import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from '../contract/person.ts';
import type { AuditEntry } from '../contract/records.ts';
import type { ConsoleDependencies } from './dependencies.ts';
import { scopeOf } from './pages/view.ts';

/** A viewer of the feed: the person, and how entries are drawn for them. */
export interface Watcher {
  readonly person: Person;
  /** Calls after this one are shown. */
  readonly afterSeq: number;
  draw(entry: AuditEntry): string;
  /** Whether the login that began the stream is still valid. */
  isStillIn(): Promise<boolean>;
}

export interface LiveFeed {
  /** A stream of server-sent events; undefined if too many are open. */
  watch(watcher: Watcher): ReadableStream<Uint8Array> | undefined;
  close(): void;
}

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
export function createLiveFeed(
  dependencies: Pick<ConsoleDependencies, 'now' | 'audit' | 'approvals' | 'onFault'>,
): LiveFeed {
  const streams = new Set<Stream>();
  const closing = new AbortController();
  let isLooking = false;

  function drop(stream: Stream): void {
    if (!streams.delete(stream)) return;
    try {
      stream.controller.close();
    } catch {
      // The reader has already left.
    }
  }

  function send(stream: Stream, event: string): void {
    if ((stream.controller.desiredSize ?? 0) < -mostWaiting) {
      drop(stream);
      return;
    }
    stream.controller.enqueue(encoder.encode(event));
    stream.saidAtMs = dependencies.now();
  }

  async function look(): Promise<void> {
    const log = await dependencies.audit();
    const approvals = await dependencies.approvals();
    while (streams.size > 0 && !closing.signal.aborted) {
      // A watcher that joins during the query is served by the next one: the result may begin after its position.
      const watching = [...streams];
      const from = Math.min(...watching.map(({ seq }) => seq));
      // Only the newest of a burst: a reader cannot follow more, and the log's pages have the rest.
      const newest = await log.search({ afterSeq: from, limit: mostAtOnce, newestFirst: true });
      const entries = newest.toReversed();
      const pending = await approvals.list('pending', dependencies.now());
      for (const stream of watching.filter((each) => streams.has(each))) {
        showCalls(stream, entries);
        const own = scopeOf(stream.watcher.person);
        const ids = pending
          .filter(({ principal }) => own === undefined || principal === own)
          .map(({ id }) => id)
          .join();
        if (ids !== stream.waiting) {
          stream.waiting = ids;
          send(stream, 'event: approvals\ndata: changed\n\n');
        }
        if (dependencies.now() - stream.saidAtMs > beatMs) send(stream, ': still here\n\n');
        if (dependencies.now() - stream.checkedAtMs > checkMs) {
          stream.checkedAtMs = dependencies.now();
          if (!(await stream.watcher.isStillIn())) drop(stream);
        }
      }
      await sleep(lookMs, undefined, { signal: closing.signal, ref: false });
    }
  }

  function keepLooking(): void {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((error: unknown) => {
        if (!closing.signal.aborted) dependencies.onFault(error);
        for (const each of [...streams]) drop(each);
      })
      .finally(() => {
        isLooking = false;
        // A watcher may have joined since the last query.
        if (streams.size > 0) keepLooking();
      });
  }

  function showCalls(stream: Stream, entries: readonly AuditEntry[]): void {
    const { person, draw } = stream.watcher;
    const own = scopeOf(person);
    for (const entry of entries) {
      if (entry.seq <= stream.seq) continue;
      stream.seq = entry.seq;
      if (own !== undefined && entry.principal !== own) continue;
      const data = draw(entry).replace(/\r?\n/g, '\ndata: ');
      send(stream, `id: ${entry.seq}\ndata: ${data}\n\n`);
    }
  }

  return {
    watch(watcher) {
      if (streams.size >= mostStreams || closing.signal.aborted) return undefined;
      let stream: Stream;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            const nowMs = dependencies.now();
            stream = {
              watcher,
              controller,
              seq: watcher.afterSeq,
              waiting: '-',
              checkedAtMs: nowMs,
              saidAtMs: nowMs,
            };
            streams.add(stream);
            controller.enqueue(encoder.encode('retry: 2000\n\n'));
            keepLooking();
          },
          cancel() {
            streams.delete(stream);
          },
        },
        { highWaterMark: 0 },
      );
    },
    close() {
      closing.abort();
      for (const stream of [...streams]) drop(stream);
    },
  };
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
