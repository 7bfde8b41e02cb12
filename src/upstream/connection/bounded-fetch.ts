import { limits } from '../../contract/limits.ts';
import { retryAfterMs } from '../../ground/retry-after.ts';
import { boundedStream } from '../../ground/waiting/bounded-stream.ts';
import { RemoteError } from './remote.ts';

/**
 * `fetch` with responses limited to the size of a message, whatever length the server states. Throws a `RemoteError` if
 * the server is too busy or fails: its header says when to retry, which the SDK does not pass on.
 */
export function createBoundedFetch(send: typeof fetch = fetch) {
  return async (url: string | URL, init?: RequestInit) => bounded(await send(url, init), init);
}

async function bounded(response: Response, init?: RequestInit): Promise<Response> {
  if (init?.method === 'POST' && (response.status === 429 || response.status >= 500)) {
    const { status, headers } = response;
    const wait = retryAfterMs(headers.get('retry-after'));
    throw new RemoteError(errorIn(await beginningOf(response)), { status, retryAfterMs: wait });
  }
  if (!response.body) return response;
  // A stream of events lasts as long as the connection, so each event is limited separately.
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
  const counted = response.body.pipeThrough(
    boundedStream(
      limits.remoteMessageBytes,
      () => new Error('The answer is too large.'),
      (chunk) => isStream && endsEvent(chunk),
    ),
  );
  const { status, statusText, headers } = response;
  const result = new Response(counted, { status, statusText, headers });
  // The constructor cannot set `url`, which is needed to check redirects.
  Object.defineProperty(result, 'url', { value: response.url });
  Object.defineProperty(result, 'redirected', { value: response.redirected });
  return result;
}

/** A server's error: from JSON-RPC, or from any other text of the response. */
export function errorIn(body: unknown): { readonly code?: unknown; readonly message?: unknown } {
  if (typeof body !== 'string') return {};
  try {
    const { error } = JSON.parse(body) as { readonly error?: unknown };
    if (typeof error === 'object' && error !== null) return error;
  } catch {
    // Plain text of the server, or a page of a proxy before it.
  }
  return {
    message: body
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, maxErrorChars),
  };
}

async function beginningOf(response: Response): Promise<string> {
  let words = '';
  try {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      words += chunk;
      if (words.length > maxErrorChars) break;
    }
  } catch {
    // Use what has arrived.
  }
  return words;
}

const maxErrorChars = 4000;

function endsEvent(chunk: Uint8Array): boolean {
  return chunk.at(-1) === 0x0a && (chunk.at(-2) === 0x0a || chunk.at(-2) === 0x0d);
}
