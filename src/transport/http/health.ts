import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { sendJson } from './outlet.ts';

/** Checks for supervisors and load balancers. They send no token, so they learn only yes, or no and why. */
export type Health = ReturnType<typeof createHealth>;

export type Stopping = 'no' | 'draining' | 'stopping';

/**
 * `/health`: the process is alive; a restart would not fix anything it reports. `/ready`: it accepts work, unless it is
 * stopping or cannot reach its records. The records are checked at most once a second.
 */
export function createHealth(stopping: () => Stopping, recordsAnswer: (() => Promise<unknown>) | undefined) {
  let looked: { readonly at: number; readonly found: Promise<boolean> } | undefined;

  function areReachable(): Promise<boolean> {
    if (!recordsAnswer) return Promise.resolve(true);
    if (!looked || performance.now() - looked.at > lookEveryMs) {
      looked = { at: performance.now(), found: inTime(recordsAnswer()) };
    }
    return looked.found;
  }

  return {
    /** Answers `/health`, `/ready` and `/healthz`; returns whether it was one of them. */
    async answer(path: string, response: ServerResponse) {
      if (path === '/health') sendJson(response, 200, '{"ok":true}');
      else if (path === '/healthz') {
        const ok = stopping() !== 'stopping';
        sendJson(response, ok ? 200 : 503, `{"ok":${ok}}`);
      } else if (path === '/ready') {
        const because = stopping() !== 'no' ? stopping() : (await areReachable()) ? undefined : 'records';
        const body = because === undefined ? { ready: true } : { ready: false, because };
        sendJson(response, because === undefined ? 200 : 503, JSON.stringify(body));
      } else return false;
      return true;
    },
  };
}

function inTime(looking: Promise<unknown>): Promise<boolean> {
  const answers = looking.then(
    () => true,
    () => false,
  );
  return Promise.race([answers, wait(patienceMs, false, { ref: false })]);
}

const lookEveryMs = 1000;
const patienceMs = 2000;
