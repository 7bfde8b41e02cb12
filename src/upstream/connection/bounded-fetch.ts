import { limits } from '../../contract/limits.ts';
import { boundedStream } from '../../ground/bounded-stream.ts';
import { RemoteError } from './remote.ts';

/**
 * `fetch` whose answers end at the size limit of messages, whatever the server says of their length. Throws a
 * `RemoteError` for one that is too busy or fails: it says when to come back in a header, which the SDK does not pass on.
 */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (init?.method === 'POST' && (response.status === 429 || response.status >= 500)) {
    const retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
    const { status } = response;
    throw new RemoteError(errorIn(await beginningOf(response)), { status, retryAfterMs });
  }
  if (!response.body) return response;
  // A stream of events lives as long as the connection; each event is bounded by the one before it.
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
  const counted = response.body.pipeThrough(
    boundedStream(
      limits.stdioMessageBytes,
      () => new Error('The answer is too large.'),
      (chunk) => isStream && endsEvent(chunk),
    ),
  );
  const { status, statusText, headers } = response;
  const bounded = new Response(counted, { status, statusText, headers });
  // The constructor cannot set it, and redirects are judged by it.
  Object.defineProperty(bounded, 'url', { value: response.url });
  Object.defineProperty(bounded, 'redirected', { value: response.redirected });
  return bounded;
}

/** What a server says of its error: in JSON-RPC, or in whatever words its answer holds. */
export function errorIn(body: unknown): { readonly code?: unknown; readonly message?: unknown } {
  if (typeof body !== 'string') return {};
  try {
    const { error } = JSON.parse(body) as { readonly error?: unknown };
    if (typeof error === 'object' && error !== null) return error;
  } catch {
    // Its own words, or a page of what stands before it.
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
    // What came is told.
  }
  return words;
}

const maxErrorChars = 4000;

/** Seconds, or a time of the day. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, Math.round(ms)) : undefined;
}

function endsEvent(chunk: Uint8Array): boolean {
  return chunk.at(-1) === 0x0a && (chunk.at(-2) === 0x0a || chunk.at(-2) === 0x0d);
}
