import { percentile } from '../measure.ts';
import type { Answer } from './client.ts';

/** A call as its agent saw it. */
export interface Logged {
  readonly agent: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly node: number;
  /** In ms since the run began. */
  readonly sentAt: number;
  readonly endedAt: number;
  readonly answer: Answer;
}

/** Latencies of what was answered, in ms. */
export function latencies(log: readonly Logged[]) {
  const answered = log.filter(({ answer }) => answer.kind !== 'lost');
  const all = answered.map(({ sentAt, endedAt }) => endedAt - sentAt);
  return { p50: percentile(all, 0.5), p99: percentile(all, 0.99), p999: percentile(all, 0.999) };
}

/** How many calls had no answer, by the reason, and how many were answered with an error, by its code. */
export function failures(log: readonly Logged[], seconds: number): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { answer, endedAt } of log) {
    if (answer.kind === 'ok') continue;
    const late = endedAt > seconds * 1000 ? ', after the end' : '';
    const { code } = (answer.kind === 'error' ? (answer.value.error ?? {}) : {}) as { code?: string };
    const what = answer.kind === 'lost' ? `no answer, ${answer.why}${late}` : `error ${code}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

/** How many tasks were finished in each second of a run. */
export function finishedPerSecond(log: readonly Logged[], seconds: number): readonly number[] {
  const counts = new Array<number>(Math.ceil(seconds)).fill(0);
  for (const { tool, answer, endedAt } of log) {
    const second = Math.floor(endedAt / 1000);
    if (tool === 'report_completed' && answer.kind === 'ok' && second < counts.length)
      counts[second] = (counts[second] ?? 0) + 1;
  }
  return counts;
}
