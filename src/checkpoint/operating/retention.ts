import type { Settings } from '../../config/settings.ts';
import type { Rooms } from '../rooms.ts';

/** Removes old records in a running server, a minute after its start and a few times a day. */
export class Retention {
  readonly #rooms: Rooms;
  readonly #onFault: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #forgetting: Promise<unknown> = Promise.resolve();

  constructor(
    { auditMs, eventsMs }: Settings['retention'],
    rooms: Rooms,
    onFault: (error: unknown) => void = () => {},
  ) {
    this.#rooms = rooms;
    this.#onFault = onFault;
    if (auditMs !== undefined || eventsMs !== undefined) this.#later(firstMs);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#forgetting;
    clearTimeout(this.#timer);
  }

  #later(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#forgetting = this.#rooms
        .store()
        .then((store) => store.forgetOld())
        .catch(this.#onFault)
        .finally(() => this.#later(everyMs));
    }, ms).unref();
  }
}

const firstMs = 60_000;
const everyMs = 6 * 60 * 60 * 1000;
