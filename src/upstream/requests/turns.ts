import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { cancelled } from '../../ground/errors/cancelled.ts';
import { createSemaphore, type Semaphore } from '../../ground/semaphore.ts';

const maxWaiting = 200;

/** Calls of one server: a limited number at once, the others in a limited queue. */
export function createTurns(atOnce: number): Semaphore {
  return createSemaphore(atOnce, { maxWaiting, aborted: () => cancelled(), full: tooMany });
}

function tooMany(): ToolError {
  return new ToolError(
    'rate_limited',
    text(
      `${maxWaiting} calls are waiting for this server.`,
      `${maxWaiting} 件の呼び出しがこのサーバーを待っています。`,
    ),
    {
      suggestion: text('Try again when some are done.', 'いくつか終わってから試してください。'),
      details: { retry_after_ms: 1000 },
    },
  );
}
