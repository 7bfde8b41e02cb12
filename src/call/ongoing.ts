import type { Call, FormAnswer, Reply } from '../contract/call.ts';
import type { OngoingCalls } from '../contract/capabilities/ongoing.ts';
import { ToolError } from '../contract/error.ts';
import { cleanLine } from '../contract/text/clean-text.ts';
import type { Locale } from '../contract/text/text.ts';
import { stillRunning } from '../ground/errors/still-running.ts';
import { failureReply } from './reply.ts';

export interface OngoingOptions {
  readonly locale: Locale;
  /** The extra time for a tool that returns its own handle. */
  readonly graceMs?: number | undefined;
  /** How long a result waits to be fetched. */
  readonly keptMs?: number | undefined;
  /** Announces the call to other servers before its id is returned; resolves with a function that ends that. */
  readonly hold?: ((id: string) => Promise<() => void>) | undefined;
}

const maxKept = 100;
const maxKeptOfOne = 8;

interface Kept {
  readonly sessionId: string;
  readonly walk: Promise<Reply>;
  readonly work: AbortController;
  letGo?: (() => void) | undefined;
}

/**
 * Calls that outlast a client's patience. Such a request is answered with the call's id while the call continues; its
 * record closes with its result when it ends. The session that made it fetches the result by the id; results are
 * dropped with that session.
 */
export class Ongoing {
  readonly #options: OngoingOptions;
  readonly #kept = new Map<string, Kept>();

  constructor(options: OngoingOptions) {
    this.#options = options;
  }

  /** Returns the call to run, and a function that makes the reply to its request: the result, or the id. */
  follow(call: Call): { readonly call: Call; reply(walk: Promise<Reply>): Promise<Reply> } {
    const { locale, graceMs = 2000 } = this.#options;
    const work = new AbortController();
    const withdraw = () => work.abort(call.signal.reason);
    call.signal.addEventListener('abort', withdraw, { once: true });
    if (call.signal.aborted) withdraw();
    const answered = Promise.withResolvers<Reply>();
    let walking: Promise<Reply> | undefined;
    let timer: NodeJS.Timeout | undefined;
    let isLeft = false;
    let isLate = false;
    let formsOpen = 0;

    const handOver = (id: string, sessionId: string): void => {
      // A person who fills in a form is worth waiting for; a session with too many unfetched results is not.
      if (formsOpen > 0 || !this.#hasRoom(sessionId)) {
        isLate = true;
        timer = setTimeout(handOver, graceMs, id, sessionId);
        return;
      }
      if (!walking) return;
      isLeft = true;
      void this.#keep(id, { sessionId, walk: walking, work }).then(() =>
        answered.resolve(failureReply(stillRunning(id), id, locale)),
      );
    };

    const followed: Call = {
      ...call,
      signal: work.signal,
      isLeft: () => isLeft,
      progress:
        call.progress &&
        ((done, total, message) => {
          if (!isLeft) call.progress?.(done, total, message);
        }),
      form:
        call.form &&
        (async (form): Promise<FormAnswer> => {
          if (isLeft || !call.form) return { action: 'cancel' };
          formsOpen += 1;
          try {
            return await call.form(form);
          } finally {
            formsOpen -= 1;
            // The answer gets a moment to take effect.
            if (isLate) timer?.refresh();
          }
        }),
      runs({ id, sessionId, patienceMs }) {
        timer = setTimeout(handOver, patienceMs + graceMs, id, sessionId);
      },
    };

    return {
      call: followed,
      async reply(walk) {
        walking = walk;
        try {
          return await Promise.race([walk, answered.promise]);
        } finally {
          clearTimeout(timer);
          call.signal.removeEventListener('abort', withdraw);
        }
      },
    };
  }

  /** Whether this server keeps the call. */
  has(id: string): boolean {
    return this.#kept.has(id);
  }

  forSession(sessionId: string): OngoingCalls {
    return {
      result: async (id, waitMs, signal) => {
        const found = this.#kept.get(id);
        if (found?.sessionId !== sessionId)
          throw new ToolError(
            'not_found',
            `No call ${cleanLine(id)} of this session is running or has a result to fetch.`,
            `このセッションに、継続中または結果待ちの呼び出し ${cleanLine(id)} はありません。`,
          );
        return waitFor(found, waitMs, signal);
      },
    };
  }

  /** The session has ended: no caller is left to fetch its results. */
  leave(sessionId: string): void {
    for (const [id, call] of this.#kept) {
      if (call.sessionId !== sessionId) continue;
      this.#forget(id);
      call.work.abort();
    }
  }

  #hasRoom(sessionId: string): boolean {
    const ofOne = [...this.#kept.values()].filter((each) => each.sessionId === sessionId);
    return this.#kept.size < maxKept && ofOne.length < maxKeptOfOne;
  }

  #forget(id: string): void {
    this.#kept.get(id)?.letGo?.();
    this.#kept.delete(id);
  }

  async #keep(id: string, call: Kept): Promise<void> {
    this.#kept.set(id, call);
    const later = () => setTimeout(() => this.#forget(id), this.#options.keptMs ?? 10 * 60_000).unref();
    call.walk.then(later, later);
    // If the other servers cannot be told, only this one answers for it.
    call.letGo = await this.#options.hold?.(id).catch(() => undefined);
  }
}

async function waitFor(
  { walk, work }: Kept,
  waitMs: number,
  signal: AbortSignal,
): Promise<Reply | undefined> {
  const over = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => over.resolve(undefined), waitMs);
  const withdraw = () => {
    work.abort(signal.reason);
    over.resolve(undefined);
  };
  signal.addEventListener('abort', withdraw, { once: true });
  if (signal.aborted) withdraw();
  try {
    return await Promise.race([walk, over.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', withdraw);
  }
}
