import type { Settings } from '../config/settings.ts';
import type { Rooms } from './rooms.ts';

/** Removes old records in a running server, a minute after its start and a few times a day. */
export function keepTo(
  { auditMs, eventsMs }: Settings['retention'],
  rooms: Rooms,
  onFault: (error: unknown) => void = () => {},
): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let forgetting: Promise<unknown> = Promise.resolve();

  function later(ms: number): void {
    timer = setTimeout(() => {
      forgetting = rooms
        .store()
        .then((store) => store.forgetOld())
        .catch(onFault)
        .finally(() => later(everyMs));
    }, ms).unref();
  }

  if (auditMs !== undefined || eventsMs !== undefined) later(firstMs);
  return {
    async stop() {
      clearTimeout(timer);
      await forgetting;
      clearTimeout(timer);
    },
  };
}

const firstMs = 60_000;
const everyMs = 6 * 60 * 60 * 1000;
