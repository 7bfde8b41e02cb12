import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type Changes, createChanges, type Wakeups } from '../changes.ts';

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
  const unreported = new Set<string>();
  let reporting: NodeJS.Timeout | undefined;
  let lastReportedAt = -notifyEveryMs;
  let polling: NodeJS.Timeout | undefined;
  let lastNotify: Promise<void> = Promise.resolve();
  // The last snapshot, however old: if it is equal, nothing was committed since, so nothing was missed.
  let seen: string | undefined;
  let isLooking = false;
  const probe = createListenProbe({
    notify,
    changed() {
      if (polling) pollFromNowOn();
    },
  });
  const listener = createListener(url, {
    isWanted: () => polling !== undefined,
    // Changes before we listened were not heard.
    began() {
      changes.wakeAll();
      probe.begin();
    },
    heard(payload) {
      if (probe.isOwn(payload)) return;
      for (const topic of payload.split(' ')) changes.wake(topic);
    },
    lost: probe.lost,
  });

  const changes = createChanges({
    tell(topic) {
      unreported.add(topic);
      reporting ??= setTimeout(send, Math.max(0, lastReportedAt + notifyEveryMs - performance.now()));
    },
    listen() {
      pollFromNowOn();
      listener.connect();
    },
    rest() {
      clearInterval(polling);
      polling = undefined;
    },
  });

  function pollFromNowOn(): void {
    clearInterval(polling);
    polling = setInterval(() => void look(), probe.state().pollEveryMs);
  }

  function send(): void {
    clearTimeout(reporting);
    reporting = undefined;
    lastReportedAt = performance.now();
    const topics = [...unreported].join(' ');
    unreported.clear();
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

  return {
    changes,
    wakeups: probe.state,
    async close() {
      const ended = listener.close();
      clearInterval(polling);
      probe.close();
      if (reporting) send();
      await lastNotify;
      await ended;
    },
  };
}

/** One connection that listens while somebody waits; a lost one is replaced. */
function createListener(
  url: string,
  on: {
    isWanted(): boolean;
    began(): void;
    heard(payload: string): void;
    lost(): void;
  },
) {
  let client: pg.Client | undefined;
  let retrying: NodeJS.Timeout | undefined;
  let isClosed = false;

  function connect(): void {
    if (client || retrying || isClosed) return;
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
      on.lost();
      // The connection is already lost.
      mine.end().catch(() => {});
      if (isClosed) return;
      retrying = setTimeout(() => {
        retrying = undefined;
        if (on.isWanted()) connect();
      }, reconnectMs);
    };
    mine.on('error', lost);
    mine.on('end', lost);
    mine.on('notification', ({ payload }) => on.heard(payload ?? ''));
    mine
      .connect()
      .then(() => mine.query('listen sekisho'))
      .then(on.began)
      .catch(lost);
  }

  return {
    connect,
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(retrying);
      // If the connection cannot be closed properly, it is gone as well.
      await client?.end().catch(() => {});
    },
  };
}

const notifyEveryMs = 50;
const reconnectMs = 1000;
const connectMs = 10_000;

/**
 * A connection may listen but silently receive nothing: a pooler in transaction mode passes LISTEN on like any
 * statement. `changed` is called when the state changes.
 */
function createListenProbe(options: {
  /** Sends the way that all notifications go. */
  readonly notify: (payload: string) => Promise<void>;
  readonly changed: () => void;
}) {
  let state: Wakeups['state'] = 'idle';
  let receivedAfterMs: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let probe: { readonly payload: string; readonly sentAt: number } | undefined;
  let isClosed = false;

  function turn(to: Wakeups['state']): void {
    if (to === state) return;
    state = to;
    options.changed();
  }

  function next(ms: number): void {
    clearTimeout(timer);
    if (isClosed) return;
    timer = setTimeout(() => {
      if (probe) turn('failing');
      void send();
    }, ms).unref();
  }

  async function send(): Promise<void> {
    probe = { payload: `probe/${randomUUID()}`, sentAt: performance.now() };
    next(receiveWithinMs);
    // A probe that could not be sent does not arrive either.
    await options.notify(probe.payload).catch(() => {});
  }

  return {
    state: (): Wakeups => ({
      state,
      receivedAfterMs,
      pollEveryMs: state === 'working' ? pollEveryMs : pollWhenFailingMs,
    }),
    /** Listening has begun: sends a probe, and then one a minute. */
    begin: () => void send(),
    isOwn(payload: string) {
      if (payload !== probe?.payload) return false;
      receivedAfterMs = performance.now() - probe.sentAt;
      probe = undefined;
      turn('working');
      next(probeEveryMs);
      return true;
    },
    /** The listening connection is gone. */
    lost() {
      probe = undefined;
      clearTimeout(timer);
      turn('failing');
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

const pollEveryMs = 3000;
/** One poll is a small query for all waiters together. */
const pollWhenFailingMs = 250;
/** A slower notification counts as lost. */
const receiveWithinMs = 2000;
const probeEveryMs = 60_000;
