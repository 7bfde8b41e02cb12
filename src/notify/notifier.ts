import type { Channel, NoticeRecord, NoticeStore, NotifySettings } from '../contract/people/notice.ts';
import type { ApprovalRecord } from '../contract/records.ts';
import { Delivery, type DeliveryDependencies } from './deliver.ts';
import { dueDigest } from './digest.ts';
import { quietLeftMs } from './quiet.ts';

export interface NotifierDependencies extends DeliveryDependencies {
  /** Called for our own failures; replies of channels are in the records. */
  onFault(error: unknown): void;
}

/** Notifies people of questions: at once, then once per `everyMs`; not in quiet hours; elsewhere if unanswered. */
export class Notifier {
  readonly #dependencies: NotifierDependencies;
  readonly #settings: NotifySettings;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #delivery: Delivery;
  #watching: Promise<void> | undefined;
  // Ends the pause between two looks.
  #wake = () => {};

  constructor(dependencies: NotifierDependencies) {
    this.#dependencies = dependencies;
    this.#settings = dependencies.settings;
    this.#delivery = new Delivery(dependencies, this.#closing.signal);
  }

  /** Starts watching. Of all servers on the same records, only one sends each question. */
  begin(): void {
    this.#watching ??= this.#watch();
  }

  /** Sends a test notice and waits for the outcome; undefined if there is no such channel. */
  async test(name: string): Promise<NoticeRecord | undefined> {
    const channel = this.#settings.channels.find((each) => each.name === name);
    if (!channel) return undefined;
    const record = await (await this.#dependencies.notices()).test(name, this.#dependencies.now());
    return this.#delivery.deliver(record);
  }

  /** Aborts deliveries, which the next server resumes. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#watching;
    await Promise.all(this.#running);
  }

  async #watch(): Promise<void> {
    const notices = await this.#dependencies.notices();
    const { signal } = this.#closing;
    while (!signal.aborted) {
      // Requested before the look, so that no change is missed.
      const over = new AbortController();
      this.#wake = () => over.abort();
      try {
        const changed = notices.changed(longestRestMs, AbortSignal.any([signal, over.signal]));
        const timer = setTimeout(this.#wake, await this.#look(notices)).unref();
        await changed;
        clearTimeout(timer);
        // Questions that arrive together become one notice.
        await rest(gatherMs, signal);
      } catch (error) {
        over.abort();
        if (signal.aborted) return;
        this.#dependencies.onFault(error);
        await rest(afterFaultMs, signal);
      }
    }
  }

  /** Claims new questions, takes due notices, and returns the time of the next look. */
  async #look(notices: NoticeStore): Promise<number> {
    const nowMs = this.#dependencies.now();
    const pending = await (await this.#dependencies.approvals()).list('pending', nowMs);
    const channels = await this.#openChannels(notices);
    const names = channels.map(({ name }) => name);
    const quietMs = this.#settings.quiet ? quietLeftMs(this.#settings.quiet, nowMs) : 0;
    if (quietMs > 0) return Math.min(quietMs, longestRestMs);
    const waits = [longestRestMs];
    for (const channel of channels) waits.push(await this.#claim(channel, pending, notices, nowMs));
    await this.#claimDigests(names, notices, nowMs);
    for (const record of await notices.take(names, nowMs, leaseMs)) {
      const work = this.#delivery.deliver(record).catch((error: unknown) => {
        if (!this.#closing.signal.aborted) this.#dependencies.onFault(error);
      });
      this.#running.add(work);
      // A retry may be due sooner than the lease ends.
      void work.finally(() => {
        this.#running.delete(work);
        this.#wake();
      });
    }
    const nextAtMs = await notices.nextAtMs(names);
    if (nextAtMs !== undefined) waits.push(nextAtMs - this.#dependencies.now());
    return Math.max(shortestRestMs, Math.min(...waits));
  }

  /** Returns the time until this channel has something new to send. */
  async #claim(
    { name }: Channel,
    pending: readonly ApprovalRecord[],
    notices: NoticeStore,
    nowMs: number,
  ): Promise<number> {
    const { escalate, everyMs } = this.#settings;
    const isSecond = escalate?.to.includes(name) === true;
    const afterMs = isSecond && escalate ? escalate.afterMs : 0;
    const told = await notices.alreadyNotified(
      name,
      pending.map(({ id }) => id),
    );
    const open = pending.filter(({ id }) => !told.has(id));
    const due = open.filter(({ createdAtMs }) => createdAtMs + afterMs <= nowMs);
    const later = open.filter((record) => !due.includes(record));
    const waits = later.map(({ createdAtMs }) => createdAtMs + afterMs - nowMs);
    if (due.length > 0) {
      const claimed = await notices.claim({
        channel: name,
        kind: isSecond ? 'escalation' : 'question',
        nowMs,
        // Oldest first, because it has waited the longest.
        questions: due.map(({ id }) => id).toReversed(),
        quietSinceMs: nowMs - everyMs,
      });
      const lastAtMs = claimed ? undefined : await notices.lastAtMs(name);
      if (lastAtMs !== undefined) waits.push(lastAtMs + everyMs - nowMs);
    }
    return Math.min(longestRestMs, ...waits);
  }

  /** With several servers, only one sends the digest on each channel. */
  async #claimDigests(names: readonly string[], notices: NoticeStore, nowMs: number): Promise<void> {
    const due = dueDigest(this.#settings.digest, nowMs);
    for (const channel of due ? names.filter((name) => this.#settings.digest?.to.includes(name)) : []) {
      const questions = due ? [due] : [];
      if ((await notices.alreadyNotified(channel, questions)).size > 0) continue;
      await notices.claim({ channel, kind: 'digest', questions, quietSinceMs: nowMs, nowMs });
    }
  }

  /** Without devices, push is no channel, so that nothing counts as sent there. */
  async #openChannels(notices: NoticeStore): Promise<readonly Channel[]> {
    const hasDevice =
      this.#settings.channels.some(({ kind }) => kind === 'push') && (await notices.devices()).length > 0;
    return this.#settings.channels.filter(({ kind }) => kind !== 'push' || hasDevice);
  }
}

function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}

const gatherMs = 150;
const shortestRestMs = 50;
const longestRestMs = 30_000;
const afterFaultMs = 5000;
/** Longer than any delivery takes. */
const leaseMs = 60_000;
