import pg from 'pg';
import { type Changes, createChanges, type Wakeups } from '../changes.ts';
import { createListenProbe } from './listen-probe.ts';

/**
 * Wakes by LISTEN and NOTIFY. A NOTIFY takes a lock of the whole database at commit, so a server sends at most one
 * every 50 ms, with all changed topics. Every few seconds, one query for all waiters checks whether anything was
 * committed, so a lost notification only delays. Whether notifications arrive is tested when listening begins and once
 * a minute, because a pooler in between drops them silently. While they do not, the database is polled four times a
 * second.
 */
export function createPostgresChanges(
  url: string,
  notify: (topics: string) => Promise<void>,
  /** The snapshot of a transaction now: if two are equal, nothing was committed in between. */
  snapshot: () => Promise<string>,
): { readonly changes: Changes; readonly wakeups: () => Wakeups; close(): Promise<void> } {
  const untold = new Set<string>();
  let telling: NodeJS.Timeout | undefined;
  let lastToldAt = -notifyEveryMs;
  let looking: NodeJS.Timeout | undefined;
  let client: pg.Client | undefined;
  let retrying: NodeJS.Timeout | undefined;
  let closed = false;
  let lastNotify: Promise<void> = Promise.resolve();
  // The last snapshot, however old: if it is equal, nothing was committed since, so nothing was missed.
  let seen: string | undefined;
  let isLooking = false;
  const probe = createListenProbe({
    notify,
    changed() {
      if (looking) lookFromNowOn();
    },
  });

  const changes = createChanges({
    tell(topic) {
      untold.add(topic);
      telling ??= setTimeout(send, Math.max(0, lastToldAt + notifyEveryMs - performance.now()));
    },
    listen() {
      lookFromNowOn();
      connect();
    },
    rest() {
      clearInterval(looking);
      looking = undefined;
    },
  });

  function lookFromNowOn(): void {
    clearInterval(looking);
    looking = setInterval(() => void look(), probe.state().pollEveryMs);
  }

  function send(): void {
    clearTimeout(telling);
    telling = undefined;
    lastToldAt = performance.now();
    const topics = [...untold].join(' ');
    untold.clear();
    // Listeners poll anyway, so a notification that cannot be sent is no error.
    if (topics !== '') lastNotify = notify(topics).catch(() => {});
  }

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    // A failed query wakes all; their own reads then get the database's error.
    const now = await snapshot().catch(() => undefined);
    isLooking = false;
    if (now !== undefined && now === seen) return;
    seen = now;
    changes.wakeAll();
  }

  function connect(): void {
    if (client || retrying || closed) return;
    const mine = new pg.Client({
      connectionString: url,
      application_name: 'sekisho listener',
      keepAlive: true,
      connectionTimeoutMillis: connectMs,
    });
    client = mine;
    const lost = () => {
      if (client !== mine) return;
      client = undefined;
      probe.lost();
      // The connection is already lost.
      mine.end().catch(() => {});
      if (closed) return;
      retrying = setTimeout(() => {
        retrying = undefined;
        if (looking) connect();
      }, reconnectMs);
    };
    mine.on('error', lost);
    mine.on('end', lost);
    mine.on('notification', ({ payload }) => {
      if (probe.isOwn(payload ?? '')) return;
      for (const topic of (payload ?? '').split(' ')) changes.wake(topic);
    });
    mine
      .connect()
      .then(() => mine.query('listen sekisho'))
      // Changes before we listened were not heard.
      .then(() => {
        changes.wakeAll();
        probe.begin();
      })
      .catch(lost);
  }

  return {
    changes,
    wakeups: probe.state,
    async close() {
      closed = true;
      clearInterval(looking);
      clearTimeout(retrying);
      probe.close();
      if (telling) send();
      await lastNotify;
      // If the connection cannot be closed properly, it is gone as well.
      await client?.end().catch(() => {});
    },
  };
}

const notifyEveryMs = 50;
const reconnectMs = 1000;
const connectMs = 10_000;
