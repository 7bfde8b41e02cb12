import { ToolError } from '../contract/error.ts';
import type { Halts } from '../contract/halt.ts';
import type { RateRule } from '../contract/limits.ts';
import type { RateStore } from '../contract/records.ts';
import { text } from '../contract/text/text.ts';
import { halted } from '../ground/errors/halted.ts';
import type { Caps } from './limits/caps.ts';
import type { Repeats } from './limits/repeats.ts';
import type { Authorized, Paced } from './slips.ts';

export interface LimitDependencies {
  readonly rules: readonly RateRule[];
  readonly rates: () => Promise<RateStore>;
  /** Undefined if nothing is capped. */
  readonly caps: Caps | undefined;
  readonly repeats: Repeats;
  readonly halts: Halts;
}

const windowMs = 60_000;

/**
 * Throws `denied` while a person has stopped all work, `rate_limited` with the time to wait, and the error of a cap that
 * is reached. A refused call counts against no rule (document 001, limits).
 */
export async function limit(
  authorized: Authorized,
  { rules, rates, caps, halts }: LimitDependencies,
  nowMs: number,
): Promise<Paced> {
  const halt = await halts.current();
  if (halt) throw halted(halt);
  // `help` tells a model how to wait, so it is never limited.
  if (authorized.tool.name === 'help') return authorized as unknown as Paced;
  const counted = rules.filter((rule) => appliesTo(rule, authorized));
  if (counted.length > 0) await assertRates(counted, authorized, await rates(), nowMs);
  await caps?.assertWithin(authorized.caller);
  return authorized as unknown as Paced;
}

async function assertRates(
  counted: readonly RateRule[],
  { caller }: Authorized,
  rates: RateStore,
  nowMs: number,
): Promise<void> {
  const bounds = counted.map(({ id, perMinute }) => ({ key: `${id} ${caller.principal}`, max: perMinute }));
  const waits = await rates.hitAll(bounds, windowMs, nowMs);
  const longestMs = Math.max(...waits);
  const rule = counted[waits.indexOf(longestMs)];
  if (rule && longestMs > 0) throw tooMany(rule, longestMs);
}

function appliesTo(rule: RateRule, { caller, tool }: Authorized): boolean {
  if (rule.appliesTo === 'remote' && !caller.remote) return false;
  return !rule.toolsets || rule.toolsets.includes(tool.toolset);
}

function tooMany(rule: RateRule, retryAfterMs: number): ToolError {
  const seconds = Math.ceil(retryAfterMs / 1000);
  return new ToolError(
    'rate_limited',
    `Only ${rule.perMinute} calls a minute are allowed here.`,
    `ここでは 1 分あたり ${rule.perMinute} 回までです。`,
    text(`Try again in ${seconds} s.`, `${seconds} 秒後にもう一度試してください。`),
    { retry_after_ms: retryAfterMs },
  );
}
