import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { boundedStream } from '../../ground/bounded-stream.ts';

/**
 * `fetch` that follows no redirect, which would carry the conversation to a server that nobody named, and reads no
 * more than this: an event without an end would be gathered whole before anybody could judge it.
 */
export function createBoundedFetch(maxBytes: number): typeof fetch {
  return async (url, init) => {
    const response = await fetch(url, { ...init, redirect: 'manual' });
    if (!response.body) return response;
    const bounded = response.body.pipeThrough(boundedStream(maxBytes, () => tooLarge(maxBytes)));
    const { status, statusText, headers } = response;
    return new Response(bounded, { status, statusText, headers });
  };
}

function tooLarge(maxBytes: number): ToolError {
  return new ToolError(
    'too_large',
    text(
      `The model's server sent over ${maxBytes} bytes and was cut off.`,
      `モデルのサーバーの応答が ${maxBytes} バイトを超えたため、打ち切りました。`,
    ),
  );
}
