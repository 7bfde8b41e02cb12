import { ToolError } from '../contract/error.ts';
import type { RateStore } from '../contract/records.ts';
import { text } from '../contract/text/text.ts';

const windowMs = 60_000;

/** Counts one question of this person. Throws `rate_limited` with the time to wait, without counting it. */
export async function countQuestion(
  rates: RateStore,
  principal: string,
  perMinute: number,
  nowMs: number,
): Promise<void> {
  const { retryAfterMs } = await rates.hit(`ask ${principal}`, perMinute, windowMs, nowMs);
  if (retryAfterMs > 0) throw tooOften(perMinute, retryAfterMs);
}

function tooOften(perMinute: number, retryAfterMs: number): ToolError {
  const seconds = Math.ceil(retryAfterMs / 1000);
  return new ToolError(
    'rate_limited',
    `Only ${perMinute} questions a minute are allowed.`,
    `質問は 1 分あたり ${perMinute} 回までです。`,
    {
      suggestion: text(`Try again in ${seconds} s.`, `${seconds} 秒後にもう一度試してください。`),
      details: { retry_after_ms: retryAfterMs },
    },
  );
}
