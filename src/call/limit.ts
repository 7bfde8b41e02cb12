import { ToolError } from '../contract/error.ts';
import type { RateStore } from '../contract/records.ts';
import { text } from '../contract/text.ts';
import type { Grant, Paced } from './slips.ts';

/** At most `perMinute` calls a minute of one principal to the tools of these toolsets. */
export interface RateRule {
  readonly id: string;
  /** Absent: every toolset. */
  readonly toolsets?: readonly string[] | undefined;
  /** Local callers are counted only where the rule says so. */
  readonly appliesTo: 'remote' | 'everyone';
  readonly perMinute: number;
}

const windowMs = 60_000;

/** Throws `rate_limited` with the time to wait. A refused call does not count (document 001, limits). */
export async function limit(
  grant: Grant,
  rules: readonly RateRule[],
  rates: () => Promise<RateStore>,
  nowMs: number,
): Promise<Paced> {
  for (const rule of rules) {
    if (rule.appliesTo === 'remote' && !grant.caller.remote) continue;
    if (rule.toolsets && !rule.toolsets.includes(grant.tool.toolset)) continue;
    // `help` tells a model how to wait; refusing it would teach nothing.
    if (grant.tool.name === 'help') continue;
    const store = await rates();
    const { retryAfterMs } = await store.hit(
      `${rule.id} ${grant.caller.principal}`,
      rule.perMinute,
      windowMs,
      nowMs,
    );
    if (retryAfterMs > 0) throw tooMany(rule, retryAfterMs);
  }
  return grant as unknown as Paced;
}

function tooMany(rule: RateRule, retryAfterMs: number): ToolError {
  const seconds = Math.ceil(retryAfterMs / 1000);
  return new ToolError(
    'rate_limited',
    text(
      `Only ${rule.perMinute} calls a minute are allowed here.`,
      `ここでは1分あたり${rule.perMinute}回までです。`,
    ),
    {
      suggestion: text(`Try again in ${seconds} s.`, `${seconds}秒後にもう一度試してください。`),
      details: { retry_after_ms: retryAfterMs },
    },
  );
}
