import type { Call } from '../contract/call.ts';

/** Clients abandon a call after a minute of silence; many restart that minute on any progress. */
const silenceMs = 8000;

/** Returns a call that reports progress, and what it waits for, while the work itself is silent. */
export function keepAlive(call: Call): { readonly call: Call; end(): void } {
  const { progress } = call;
  if (!progress) return { call, end() {} };
  const beganAt = performance.now();
  let told = 0;
  let last: { readonly total?: number | undefined; readonly message?: string | undefined } = {};
  const beat = setInterval(() => {
    const { total, message } = last;
    // Progress must grow to be reported, and stay below the next step of the work.
    told += 0.001;
    const seconds = Math.round((performance.now() - beganAt) / 1000);
    progress(told, total, message ?? `${call.tool}: ${seconds} s`);
  }, silenceMs);
  beat.unref();
  return {
    call: {
      ...call,
      progress(done, total, message) {
        told = Math.max(told, done);
        last = { total, message };
        beat.refresh();
        progress(done, total, message);
      },
    },
    end: () => clearInterval(beat),
  };
}
