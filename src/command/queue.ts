import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import { cancelled } from '../ground/errors/cancelled.ts';
import { createSemaphore, type Semaphore } from '../ground/waiting/semaphore.ts';

/** Runs a session's commands: a limited number at once, a limited number waiting in order. */
export function createQueue(atOnce: number, maxWaiting: number): Semaphore {
  return createSemaphore(atOnce, {
    maxWaiting,
    aborted: () => cancelled('command'),
    full: (running, waiting) =>
      new ToolError(
        'rate_limited',
        `${running} commands are running and ${waiting} are waiting.`,
        `${running} 件のコマンドが実行中、${waiting} 件が待機中です。`,
        text('Wait for some of them to end.', 'いくつか終わるまで待ってください。'),
        { retry_after_ms: 1000 },
      ),
  });
}
