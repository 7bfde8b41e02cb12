import { limits } from '../../contract/limits.ts';
import { boundedStream } from '../../ground/bounded-stream.ts';

/** `fetch` whose answers end at the size limit of messages, whatever the server says of their length. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
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

function endsEvent(chunk: Uint8Array): boolean {
  return chunk.at(-1) === 0x0a && (chunk.at(-2) === 0x0a || chunk.at(-2) === 0x0d);
}
