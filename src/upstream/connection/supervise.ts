import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import { unlessAborted } from '../../ground/waiting/abort.ts';
import type { Connection } from './connect.ts';

export type SupervisedState =
  | { readonly kind: 'idle' | 'starting' | 'ready' }
  | { readonly kind: 'failed'; readonly error: ToolError; readonly retryAtMs: number };

export interface SuperviseOptions {
  readonly name: string;
  readonly open: () => Promise<Connection>;
  readonly onState: () => void;
  readonly now?: (() => number) | undefined;
  readonly firstDelayMs?: number | undefined;
}

const maxDelayMs = 5 * 60_000;
/** After this long a server counts as healthy: its next crash is counted as the first. */
const wellMs = 60_000;

/** Keeps one server running: started on first use, restarted after crashes with growing delays. */
export class Supervisor {
  readonly #options: SuperviseOptions;
  readonly #now: () => number;
  #state: SupervisedState = { kind: 'idle' };
  #live: Promise<Connection> | undefined;
  #failures = 0;
  #starts = 0;
  #failure: ToolError | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** `wake` was called during a start. */
  #isWoken = false;

  constructor(options: SuperviseOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  get state(): SupervisedState {
    return this.#state;
  }

  get starts(): number {
    return this.#starts;
  }

  /** Why it does not run; undefined once it runs. */
  get failure(): ToolError | undefined {
    return this.#failure;
  }

  /** The live connection; starts one unless the last start has just failed. */
  connection(signal: AbortSignal): Promise<Connection> {
    const state = this.#state;
    if (state.kind === 'failed' && state.retryAtMs > this.#now()) {
      const waitMs = state.retryAtMs - this.#now();
      return Promise.reject(unavailable(this.#options.name, state.error, waitMs));
    }
    return unlessAborted(this.#start(), signal, () => cancelled());
  }

  /** Starts it at the next use, as the cause of its failure may be gone. A failed start under way is repeated. */
  wake(): void {
    const { kind } = this.#state;
    if (kind !== 'failed' && kind !== 'starting') return;
    this.#failures = 0;
    this.#failure = undefined;
    if (kind === 'starting') {
      this.#isWoken = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#become({ kind: 'idle' });
  }

  /** The current connection; starts none. */
  get running(): Promise<Connection> | undefined {
    return this.#live;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const opening = this.#live;
    this.#live = undefined;
    // Errors of starting or closing do not matter any more.
    await (await opening?.catch(() => undefined))?.close().catch(() => {});
  }

  #become(next: SupervisedState): void {
    this.#state = next;
    this.#options.onState();
  }

  #fail(error: ToolError): void {
    this.#live = undefined;
    if (this.#isClosed) return;
    this.#failures += 1;
    this.#failure = error;
    const { firstDelayMs = 500 } = this.#options;
    const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** (this.#failures - 1));
    this.#become({ kind: 'failed', error, retryAtMs: this.#now() + delayMs });
    clearTimeout(this.#timer);
    // A failure sets the next timer, and the state reports it.
    this.#timer = setTimeout(() => void this.#start().catch(() => {}), delayMs);
    this.#timer.unref();
  }

  #start(): Promise<Connection> {
    clearTimeout(this.#timer);
    if (this.#isClosed) return Promise.reject(cancelled());
    if (this.#live) return this.#live;
    this.#become({ kind: 'starting' });
    const opening = this.#open();
    this.#live = opening;
    opening.then(
      (connection) => this.#opened(connection, opening),
      (error: unknown) => this.#fail(error instanceof ToolError ? error : crashed(error)),
    );
    return opening;
  }

  async #open(): Promise<Connection> {
    this.#starts += 1;
    this.#isWoken = false;
    try {
      return await this.#options.open();
    } catch (error) {
      if (!this.#isWoken || this.#isClosed) throw error;
      return this.#open();
    }
  }

  #opened(connection: Connection, opening: Promise<Connection>): void {
    // Closed during the start: no other code would close it.
    if (this.#isClosed) return void connection.close().catch(() => {});
    const since = this.#now();
    this.#failure = undefined;
    this.#become({ kind: 'ready' });
    void connection.closed.then(() => {
      if (this.#now() - since >= wellMs) this.#failures = 0;
      if (this.#live !== opening) return;
      if (!connection.isLost() || this.#isClosed) return this.#fail(crashed(connection.lastWords()));
      this.#live = undefined;
      this.#become({ kind: 'idle' });
    });
  }
}

function crashed(cause: unknown): ToolError {
  return new ToolError('upstream_error', 'The server ended.', 'サーバーが終了しました。', { cause });
}

function unavailable(name: string, { text: why, cause }: ToolError, waitMs: number): ToolError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new ToolError('unavailable', `Server ${name}: ${why.en}`, `サーバー ${name}: ${why.ja}`, {
    suggestion: text(
      `It restarts in ${seconds} s. The operator can see more with \`sekisho server check ${name}\`.`,
      `${seconds} 秒後に再起動します。運用者は \`sekisho server check ${name}\` で詳細を確認できます。`,
    ),
    details: { server: name, retry_after_ms: waitMs },
    cause,
  });
}
