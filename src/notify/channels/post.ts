import { type Text, text } from '../../contract/text/text.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { DeliveryFailure } from '../failure.ts';

export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** One request with a timeout to the configured address only. `DeliveryFailure`; only the response's status counts. */
export async function post({ url, headers, body }: Posting, signal: AbortSignal): Promise<void> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(longestMs)]),
    });
  } catch (error) {
    throw new DeliveryFailure(unreachable(error));
  }
  await response.body?.cancel().catch(() => {
    // The status has arrived; errors in the body do not matter.
  });
  if (response.ok) return;
  const { status } = response;
  const mayPass = status >= 500 || status === 408 || status === 425 || status === 429;
  const after = Number(response.headers.get('retry-after'));
  throw new DeliveryFailure(answered(status), {
    isFinal: !mayPass,
    ...(after > 0 && { retryAfterMs: Math.min(after, 3600) * 1000 }),
  });
}

/** Whether the recipient no longer exists at the other end. */
export function isGone(error: unknown): boolean {
  return error instanceof DeliveryFailure && /answered (404|410)\./.test(error.problem.en);
}

function answered(status: number): Text {
  return text(`The server answered ${status}.`, `サーバーの応答は ${status} でした。`);
}

function unreachable(error: unknown): Text {
  const cause = error instanceof Error ? (errnoCode(error.cause) ?? error.name) : '';
  const code = /^[\w-]{1,40}$/.test(cause) ? ` (${cause})` : '';
  return text(`The server cannot be reached${code}.`, `サーバーに接続できません${code}。`);
}

const longestMs = 10_000;
