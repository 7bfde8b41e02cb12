import { ToolError } from '../../contract/error.ts';
import { boundedStream } from '../../ground/waiting/bounded-stream.ts';

/**
 * `fetch` that follows no redirect, which would send the conversation to an unnamed server, and reads no more than
 * `maxBytes`: an endless event would be collected whole before it could be judged.
 */
export function createBoundedFetch(maxBytes: number, send: typeof fetch = fetch): typeof fetch {
  return async (url, init) => {
    const response = await send(url, { ...init, redirect: 'manual' });
    if (!response.body) return response;
    const bounded = response.body.pipeThrough(boundedStream(maxBytes, () => tooLarge(maxBytes)));
    const { status, statusText, headers } = response;
    return new Response(bounded, { status, statusText, headers });
  };
}

function tooLarge(maxBytes: number): ToolError {
  return new ToolError(
    'too_large',
    `The model's server sent over ${maxBytes} bytes and was cut off.`,
    `モデルのサーバーの応答が ${maxBytes} バイトを超えたため、打ち切りました。`,
  );
}
