import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import type { CallTrace } from '../../contract/trace.ts';

/** One request to a proxied server. */
export interface RemoteRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Of the call that it is made for. */
  readonly trace?: CallTrace | undefined;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** While it does, the time does not run out. */
  readonly waitsForPerson?: (() => boolean) | undefined;
  readonly progress?: ((done: number, total?: number, message?: string) => void) | undefined;
}

/** The server's own error to a request. Its words are a stranger's. */
export class RemoteError extends Error {
  readonly code: number;
  constructor(error: unknown) {
    const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<
      string,
      unknown
    >;
    super(typeof message === 'string' ? message : 'The server answered with an error.');
    this.code = typeof code === 'number' ? code : 0;
  }
}

export function timedOut(timeoutMs: number): ToolError {
  const seconds = timeoutMs / 1000;
  return new ToolError(
    'timed_out',
    text(
      `The server did not answer within ${seconds} s.`,
      `サーバーが ${seconds} 秒以内に応答しませんでした。`,
    ),
    {
      suggestion: text(
        'Ask for less at once, or ask the operator to raise callTimeoutMs.',
        '一度に求める量を減らすか、運用者に callTimeoutMs の引き上げを依頼してください。',
      ),
    },
  );
}

/** The server has forgotten the session (HTTP 404): what was asked was not begun. */
export class SessionLost extends ToolError {
  constructor() {
    super('upstream_error', text('The server forgot the session.', 'サーバーがセッションを失いました。'));
  }
}

/** Does it once more, on a new session, where the first attempt was never begun. */
export async function afterLoss<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof SessionLost) return attempt();
    throw error;
  }
}
