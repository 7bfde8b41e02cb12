import type { Call, FormAnswer, Reply } from '../contract/call.ts';
import type { OngoingCalls } from '../contract/capabilities/ongoing.ts';
import { ToolError } from '../contract/error.ts';
import { cleanLine } from '../contract/text/clean-text.ts';
import { type Locale, text } from '../contract/text/text.ts';
import { stillRunning } from '../ground/errors/still-running.ts';
import { failureReply } from './reply.ts';

/**
 * Calls that outlast what a client waits for. Such a request is answered with the call's id, and the call walks on:
 * its record closes when it ends, with what it came to. The session that made it fetches that by the id, and it ends
 * with that session.
 */
export interface Ongoing {
  /** The call as it is to walk, and the reply to its request: what it comes to, or its id. */
  follow(call: Call): { readonly call: Call; reply(walk: Promise<Reply>): Promise<Reply> };
  forSession(sessionId: string): OngoingCalls;
  /** Is this call kept here? */
  has(id: string): boolean;
  /** The session has ended: nobody will ask what its calls came to. */
  leave(sessionId: string): void;
}

export interface OngoingOptions {
  readonly locale: Locale;
  /** What a tool that hands out a handle of its own gets to do so. */
  readonly graceMs?: number | undefined;
  /** How long a result waits to be fetched. */
  readonly keptMs?: number | undefined;
  /** Lets other servers know that a call is kept here, before its id is handed out; resolves with how to let go. */
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

export function createOngoing(options: OngoingOptions): Ongoing {
  const { locale, graceMs = 2000, keptMs = 10 * 60_000, hold } = options;
  const kept = new Map<string, Kept>();

  function hasRoom(sessionId: string): boolean {
    const ofOne = [...kept.values()].filter((each) => each.sessionId === sessionId);
    return kept.size < maxKept && ofOne.length < maxKeptOfOne;
  }

  function forget(id: string): void {
    kept.get(id)?.letGo?.();
    kept.delete(id);
  }

  async function keep(id: string, call: Kept): Promise<void> {
    kept.set(id, call);
    const later = () => setTimeout(forget, keptMs, id).unref();
    call.walk.then(later, later);
    // Where the others cannot be told, only this server answers for it.
    call.letGo = await hold?.(id).catch(() => undefined);
  }

  return {
    follow(call) {
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

      function handOver(id: string, sessionId: string): void {
        // A person who fills in a form is worth waiting for; too many results that nobody fetches are not.
        if (formsOpen > 0 || !hasRoom(sessionId)) {
          isLate = true;
          timer = setTimeout(handOver, graceMs, id, sessionId);
          return;
        }
        if (!walking) return;
        isLeft = true;
        void keep(id, { sessionId, walk: walking, work }).then(() =>
          answered.resolve(failureReply(stillRunning(id), id, locale)),
        );
      }

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
              // The answer gets a moment to come to something.
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
    },

    has: (id) => kept.has(id),

    forSession: (sessionId) => ({
      async result(id, waitMs, signal) {
        const found = kept.get(id);
        if (found?.sessionId !== sessionId) throw unknownCall(id);
        return waitFor(found, waitMs, signal);
      },
    }),

    leave(sessionId) {
      for (const [id, call] of kept) {
        if (call.sessionId !== sessionId) continue;
        forget(id);
        call.work.abort();
      }
    },
  };
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

function unknownCall(id: string): ToolError {
  return new ToolError(
    'not_found',
    text(
      `No call ${cleanLine(id)} of this session is running or has a result to fetch.`,
      `このセッションに、継続中または結果待ちの呼び出し ${cleanLine(id)} はありません。`,
    ),
  );
}
