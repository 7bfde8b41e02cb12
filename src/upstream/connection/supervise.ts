import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { unlessAborted } from '../../ground/abort.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import type { Connection } from './connect.ts';

export type SupervisedState =
  | { readonly kind: 'idle' | 'starting' | 'ready' }
  | { readonly kind: 'failed'; readonly error: ToolError; readonly retryAtMs: number };

/** Keeps one server running: started on first use, restarted after crashes with growing delays. */
export interface Supervisor {
  state(): SupervisedState;
  starts(): number;
  /** Why it does not run; undefined once it runs. */
  failure(): ToolError | undefined;
  /** The live connection; starts one unless the last start has just failed. */
  connection(signal: AbortSignal): Promise<Connection>;
  /**
   * The cause of its failure may be gone: the next use starts it at once. If a start under way fails, it is repeated,
   * as it may have begun before.
   */
  wake(): void;
  /** The current connection; starts none. */
  running(): Promise<Connection> | undefined;
  close(): Promise<void>;
}

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

export function supervise(options: SuperviseOptions): Supervisor {
  const now = options.now ?? Date.now;
  let state: SupervisedState = { kind: 'idle' };
  let live: Promise<Connection> | undefined;
  let failures = 0;
  let starts = 0;
  let failure: ToolError | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  /** `wake` was called during a start. */
  let isWoken = false;

  function become(next: SupervisedState): void {
    state = next;
    options.onState();
  }

  function fail(error: ToolError): void {
    live = undefined;
    if (isClosed) return;
    failures += 1;
    failure = error;
    const delayMs = Math.min(maxDelayMs, (options.firstDelayMs ?? 500) * 2 ** (failures - 1));
    become({ kind: 'failed', error, retryAtMs: now() + delayMs });
    clearTimeout(timer);
    // A failure sets the next timer, and the state reports it.
    timer = setTimeout(() => void start().catch(() => {}), delayMs);
    timer.unref();
  }

  function start(): Promise<Connection> {
    clearTimeout(timer);
    if (isClosed) return Promise.reject(cancelled());
    if (live) return live;
    become({ kind: 'starting' });
    const opening = open();
    live = opening;
    opening.then(
      (connection) => {
        // Closed during the start: no other code would close it.
        if (isClosed) return void connection.close().catch(() => {});
        const since = now();
        failure = undefined;
        become({ kind: 'ready' });
        void connection.closed.then(() => {
          if (now() - since >= wellMs) failures = 0;
          if (live === opening && connection.isLost() && !isClosed) {
            live = undefined;
            become({ kind: 'idle' });
            return;
          }
          if (live === opening) fail(crashed(connection.lastWords()));
        });
      },
      (error: unknown) => fail(error instanceof ToolError ? error : crashed(error)),
    );
    return opening;
  }

  async function open(): Promise<Connection> {
    starts += 1;
    isWoken = false;
    try {
      return await options.open();
    } catch (error) {
      if (!isWoken || isClosed) throw error;
      return open();
    }
  }

  return {
    state: () => state,
    starts: () => starts,
    failure: () => failure,
    connection(signal) {
      if (state.kind === 'failed' && state.retryAtMs > now()) {
        return Promise.reject(unavailable(options.name, state.error, state.retryAtMs - now()));
      }
      return unlessAborted(start(), signal, () => cancelled());
    },
    wake() {
      if (state.kind !== 'failed' && state.kind !== 'starting') return;
      failures = 0;
      failure = undefined;
      if (state.kind === 'starting') {
        isWoken = true;
        return;
      }
      clearTimeout(timer);
      become({ kind: 'idle' });
    },
    running: () => live,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      const opening = live;
      live = undefined;
      // Errors of starting or closing do not matter any more.
      await (await opening?.catch(() => undefined))?.close().catch(() => {});
    },
  };
}

function crashed(cause: unknown): ToolError {
  return new ToolError('upstream_error', text('The server ended.', 'サーバーが終了しました。'), { cause });
}

function unavailable(name: string, { text: why, cause }: ToolError, waitMs: number): ToolError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new ToolError('unavailable', text(`Server ${name}: ${why.en}`, `サーバー ${name}: ${why.ja}`), {
    suggestion: text(
      `It restarts in ${seconds} s. The operator can see more with \`sekisho server check ${name}\`.`,
      `${seconds} 秒後に再起動します。運用者は \`sekisho server check ${name}\` で詳細を確認できます。`,
    ),
    details: { server: name, retry_after_ms: waitMs },
    cause,
  });
}
