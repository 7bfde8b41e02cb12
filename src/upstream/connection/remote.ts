import { ToolError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';
import type { CallTrace } from '../../contract/trace.ts';

export interface RemoteRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The trace of the call. */
  readonly trace?: CallTrace | undefined;
  readonly signal: AbortSignal;
  /** How long the server may be silent; progress reports restart it. */
  readonly timeoutMs: number;
  /** How long the request may take, whatever the server reports. Undefined: unlimited. */
  readonly wholeMs?: number | undefined;
  /** While true, the time does not run out. */
  readonly waitsForPerson?: (() => boolean) | undefined;
  readonly progress?: ((done: number, total?: number, message?: string) => void) | undefined;
}

/** The HTTP status with which a server refused a request. */
export interface HttpRefusal {
  readonly status: number;
  readonly retryAfterMs?: number | undefined;
}

/** The server's own error for a request. Its text is untrusted and may be empty. */
export class RemoteError extends Error {
  readonly code: number;
  readonly http: HttpRefusal | undefined;
  constructor(error: unknown, http?: HttpRefusal) {
    const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<
      string,
      unknown
    >;
    const words = typeof error === 'string' ? error : message;
    super(typeof words === 'string' ? words : '');
    this.code = typeof code === 'number' ? code : 0;
    this.http = http;
  }
}

type Limits = Pick<RemoteRequest, 'timeoutMs' | 'wholeMs'>;

export function timedOut({ timeoutMs, wholeMs }: Limits): ToolError {
  const seconds = timeoutMs / 1000;
  return new ToolError(
    'timed_out',
    `The server neither answered nor reported progress for ${seconds} s. It may have carried out the call.`,
    `サーバーが ${seconds} 秒間、応答も進捗の報告もしませんでした。呼び出しは実行された可能性があります。`,
    raise({ timeoutMs, wholeMs }),
  );
}

export function tookTooLong({ timeoutMs, wholeMs = 0 }: Limits): ToolError {
  const seconds = wholeMs / 1000;
  return new ToolError(
    'timed_out',
    `The server did not finish within ${seconds} s. It may have carried out the call.`,
    `サーバーの処理が ${seconds} 秒以内に終わりませんでした。呼び出しは実行された可能性があります。`,
    raise({ timeoutMs, wholeMs }),
  );
}

function raise({ timeoutMs, wholeMs }: Limits): Text {
  if (wholeMs === undefined) return text('Ask for less at once.', '一度に求める量を減らしてください。');
  const [silence, whole] = [timeoutMs / 1000, wholeMs / 1000];
  return text(
    `Ask for less at once, or ask the operator to raise callTimeoutMs (silence, now ${silence} s) or callTotalMs (the whole call, now ${whole} s).`,
    `一度に求める量を減らすか、運用者に callTimeoutMs（無応答の上限、現在 ${silence} 秒）または callTotalMs（呼び出し全体の上限、現在 ${whole} 秒）の引き上げを依頼してください。`,
  );
}

/** The server has forgotten the session (HTTP 404), so the request was not begun. */
export class SessionLost extends ToolError {
  constructor() {
    super('upstream_error', text('The server forgot the session.', 'サーバーがセッションを失いました。'));
  }
}

/** Retries once on a new session if the first attempt was never begun. */
export async function afterLoss<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof SessionLost) return attempt();
    throw error;
  }
}
