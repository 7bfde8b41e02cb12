import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { unlessAborted } from '../../ground/abort.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import type { Connection } from './connect.ts';

export type SupervisedState =
  | { readonly kind: 'idle' | 'starting' | 'ready' }
  | { readonly kind: 'failed'; readonly error: ToolError; readonly retryAtMs: number };

/** Keeps one server running once it was needed: started at first need, again after a crash, ever less eagerly. */
export interface Supervisor {
  state(): SupervisedState;
  starts(): number;
  /** Why it does not run; known until it runs again. */
  failure(): ToolError | undefined;
  /** The live connection; starts one unless the last start failed a moment ago. */
  connection(signal: AbortSignal): Promise<Connection>;
  /**
   * What it failed for may be mended: the next need starts it at once. A start that is under way and fails is made again,
   * as it may have begun before.
   */
  wake(): void;
  /** The connection that there is; none is started. */
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
/** A server that ran this long was well: its next crash counts as the first. */
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
  /** Woken while it was starting. */
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
    // A failure sets the next timer, and is told by the state.
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
        // Closed while it was starting: nobody else would end it.
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
      // What did not start, or does not end well, is over all the same.
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
