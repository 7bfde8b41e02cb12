import type { Caller } from '../../contract/caller.ts';
import type { FileState, NewHistoryEntry } from '../../contract/capabilities/history.ts';
import { ToolError } from '../../contract/error.ts';
import type { CapSettings } from '../../contract/limits.ts';
import type { RateStore } from '../../contract/records.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { createCalendar } from '../../ground/calendar.ts';

type Measure = keyof NonNullable<CapSettings['day']>;
type Scope = keyof CapSettings;

/** The amounts that a call used, beside itself. */
export type Used = Partial<Record<Exclude<Measure, 'calls'>, number>>;

type Counted = Pick<Caller, 'principal' | 'sessionId'>;

/** Caps on the work of sessions, callers and days, counted in the store by all servers together. */
export class Caps {
  readonly #settings: CapSettings;
  readonly #rates: () => Promise<RateStore>;
  readonly #now: () => number;
  readonly #dayOf = createCalendar();
  /** Uses on their way to the store, which the next check waits for. */
  #counting: Promise<unknown> = Promise.resolve();

  constructor(settings: CapSettings, rates: () => Promise<RateStore>, now: () => number) {
    this.#settings = settings;
    this.#rates = rates;
    this.#now = now;
  }

  /** Counts a call. Throws, having counted nothing, where a cap is reached; what runs already is not cut off. */
  async assertWithin(caller: Counted): Promise<void> {
    await this.#counting;
    const bounds = scopes.flatMap((scope) =>
      measures.flatMap((measure) => {
        const max = this.#settings[scope][measure];
        const key = this.#keyOf(scope, measure, caller);
        return max === undefined ? [] : [{ scope, measure, most: max, key, max: max * unitOf(measure) }];
      }),
    );
    const adding = bounds.filter(({ measure }) => measure === 'calls').map(({ key }) => ({ key, amount: 1 }));
    const reached = await (await this.#rates()).count(adding, bounds, this.#now());
    const bound = bounds.find(({ key }) => key === reached);
    if (bound) throw capReached(bound, this.#now());
  }

  /** Counts what a call or its command has used. */
  use(caller: Counted, used: Used): void {
    const adding = scopes.flatMap((scope) =>
      measures.flatMap((measure) => {
        const amount = measure === 'calls' ? 0 : Math.round((used[measure] ?? 0) * unitOf(measure));
        const isCapped = amount > 0 && this.#settings[scope][measure] !== undefined;
        return isCapped ? [{ key: this.#keyOf(scope, measure, caller), amount }] : [];
      }),
    );
    if (adding.length === 0) return;
    this.#counting = this.#counting
      // The call that came after the failure was told of it.
      .catch(() => {})
      .then(async () => (await this.#rates()).count(adding, [], this.#now()));
    // Nobody may come after it.
    this.#counting.catch(() => {});
  }

  /** Counts changes of files, as the history enters them. */
  changed(
    entries: readonly Pick<NewHistoryEntry, 'principal' | 'sessionId' | 'tool' | 'before' | 'after'>[],
  ): void {
    for (const { tool, before, after, ...caller } of entries)
      if (tool !== 'undo') this.use(caller, { changedBytes: bytesOf(after) ?? bytesOf(before) ?? 0 });
  }

  #keyOf(scope: Scope, measure: Measure, { principal, sessionId }: Counted): string {
    const whose = {
      session: () => sessionId,
      agent: () => `${this.#dayOf(this.#now())} ${principal}`,
      day: () => this.#dayOf(this.#now()),
    };
    return `cap ${scope} ${measure} ${whose[scope]()}`;
  }
}

/** Of a file that has grown, only what was added. */
function bytesOf(state: FileState): number | undefined {
  return state.kind === 'file' ? (state.tail?.bytes ?? state.bytes) : undefined;
}

export function hasCaps(settings: CapSettings): boolean {
  return scopes.some((scope) => Object.keys(settings[scope]).length > 0);
}

const measures = ['calls', 'minutes', 'changedBytes', 'sentBytes'] as const;
const scopes = ['session', 'agent', 'day'] as const;

/** Time is counted in milliseconds. */
function unitOf(measure: Measure): number {
  return measure === 'minutes' ? 60_000 : 1;
}

function capReached(
  { scope, measure, most }: { readonly scope: Scope; readonly measure: Measure; readonly most: number },
  nowMs: number,
): ToolError {
  const key = `limits.${scope}.${measure}`;
  const of = whose[scope];
  const words = amounts[measure](most);
  const isForDay = scope !== 'session';
  return new ToolError(
    isForDay ? 'rate_limited' : 'denied',
    `${key} is reached: ${words.en} ${of.en}.`,
    `${key} に達しました（${of.ja}${words.ja}まで）。`,
    isForDay
      ? text(
          `It counts anew from midnight. Until then, ask a person to raise ${key} in the configuration.`,
          `0 時に数え直します。それまでは、設定の ${key} を上げるよう人に頼んでください。`,
        )
      : text(
          `Report what is done so far. A person can raise ${key} in the configuration, or start a new session.`,
          `ここまでの結果を報告してください。人が設定の ${key} を上げるか、新しいセッションを始められます。`,
        ),
    { limit: key, ...(isForDay && { retry_after_ms: msToMidnight(nowMs) }) },
  );
}

function msToMidnight(nowMs: number): number {
  return new Date(nowMs).setHours(24, 0, 0, 0) - nowMs;
}

const whose: Readonly<Record<Scope, Text>> = {
  session: text('in this session', 'このセッションで'),
  agent: text('by one caller in a day', '1 人の呼び出し元が 1 日に'),
  day: text('by all callers in a day', '全体で 1 日に'),
};

const amounts: Readonly<Record<Measure, (most: number) => Text>> = {
  calls: (most) => text(`${most} calls`, ` ${most} 回の呼び出し`),
  minutes: (most) => text(`${most} minutes of running calls`, `呼び出しの実行 ${most} 分`),
  changedBytes: (most) => text(`${most} changed bytes`, ` ${most} バイトの変更`),
  sentBytes: (most) => text(`${most} sent bytes`, ` ${most} バイトの送信`),
};
