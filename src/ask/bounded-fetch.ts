import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text.ts';

/**
 * `fetch` that follows no redirect, which would carry the conversation to a server that nobody named, and reads no
 * more than this: an event without an end would be gathered whole before anybody could judge it.
 */
export function createBoundedFetch(maxBytes: number): typeof fetch {
  return async (url, init) => {
    const response = await fetch(url, { ...init, redirect: 'manual' });
    if (!response.body) return response;
    let bytes = 0;
    const bounded = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes > maxBytes) controller.error(tooLarge(maxBytes));
          else controller.enqueue(chunk);
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(bounded, { status, statusText, headers });
  };
}

function tooLarge(maxBytes: number): ToolError {
  return new ToolError(
    'too_large',
    text(
      `The model's server sent over ${maxBytes} bytes and was cut off.`,
      `モデルのサーバーの応答が${maxBytes}バイトを超えたため、打ち切りました。`,
    ),
  );
}
