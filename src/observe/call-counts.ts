import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Call } from '../contract/call.ts';
import type { CallEnd, CallWatch, CallWatcher, WatchedStop } from '../contract/observe.ts';

/** Outcomes of calls since the server began to count, in the registry that `/metrics` shows. */
export interface CallCounts extends CallWatcher {
  readonly registry: Registry;
}

/** Upper bounds of a call's duration in seconds: reads take a fraction of a millisecond, people minutes. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** The outcome of asking a person. `asked`: the question went to the client, which answers with another call. */
const answers = ['approved', 'declined', 'unanswered', 'asked'] as const;

/** Names of proxied tools are foreign: beyond this many they are counted together. */
export const maxProxiedTools = 100;
const otherTools = 'other';

/** Counts calls. Keeps no user, path or argument; its size does not grow with the calls. */
export function createCallCounts(now: () => number = () => performance.now()): CallCounts {
  const registry = new Registry();
  const registers = [registry];
  const calls = new Counter({
    name: 'sekisho_calls_total',
    help: 'Calls that were answered, by tool, outcome and error code.',
    labelNames: ['tool', 'outcome', 'code'],
    registers,
  });
  const duration = new Histogram({
    name: 'sekisho_call_duration_seconds',
    help: 'From the arrival of a call to its reply, its record and the wait for a person included.',
    labelNames: ['tool'],
    buckets,
    registers,
  });
  const running = new Gauge({
    name: 'sekisho_calls_running',
    help: 'Calls that are under way.',
    registers,
  });
  const refusals = new Counter({
    name: 'sekisho_refusals_total',
    help: 'Calls that ended before their tool ran, by the stop that ended them; rate_limited is a code.',
    labelNames: ['stop', 'code'],
    registers,
  });
  const approvals = new Counter({
    name: 'sekisho_approvals_total',
    help: 'What came of calls that need a person: approved, declined, unanswered in time, or asked of the client.',
    labelNames: ['answer'],
    registers,
  });
  const approvalWait = new Histogram({
    name: 'sekisho_approval_wait_seconds',
    help: 'How long calls waited for a person.',
    buckets,
    registers,
  });
  for (const answer of answers) approvals.inc({ answer }, 0);
  const proxied = new Set<string>();

  function nameOf(tool: CallEnd['tool']): string {
    if (!tool) return otherTools;
    if (tool.server === undefined || proxied.has(tool.name)) return tool.name;
    if (proxied.size >= maxProxiedTools) return otherTools;
    proxied.add(tool.name);
    return tool.name;
  }

  function ended(end: CallEnd, seconds: number, waitedSeconds: number): void {
    const { reply, stop } = end;
    const tool = nameOf(end.tool);
    calls.inc({ tool, ...outcomeOf(reply) });
    duration.observe({ tool }, seconds);
    if (reply.kind === 'error' && stop !== 'run') refusals.inc({ stop, code: reply.code });
    const answer = answerOf(end);
    if (answer === undefined) return;
    approvals.inc({ answer });
    if (answer !== 'asked') approvalWait.observe(waitedSeconds);
  }

  return {
    registry,
    begin(_call: Call): CallWatch {
      const beganAt = now();
      let askedAt = 0;
      let wentOnAt = 0;
      running.inc();
      return {
        reached(stop: WatchedStop) {
          if (stop === 'approve') askedAt = now();
          else if (askedAt !== 0 && wentOnAt === 0) wentOnAt = now();
        },
        ended(end) {
          running.dec();
          ended(end, (now() - beganAt) / 1000, (wentOnAt - askedAt) / 1000);
        },
      };
    },
  };
}

function outcomeOf(reply: CallEnd['reply']): { readonly outcome: string; readonly code: string } {
  if (reply.kind === 'error') return { outcome: 'error', code: reply.code };
  // A proxied tool's own failure has no code of ours.
  if (reply.kind === 'output' && reply.isError === true) return { outcome: 'error', code: 'tool_error' };
  return { outcome: reply.kind === 'output' ? 'ok' : 'question', code: '' };
}

function answerOf({ reply, stop, approver }: CallEnd): (typeof answers)[number] | undefined {
  if (approver !== undefined) return 'approved';
  if (stop !== 'approve') return undefined;
  if (reply.kind === 'question') return 'asked';
  if (reply.kind !== 'error') return undefined;
  if (reply.code === 'approval_pending') return 'unanswered';
  const details = reply.structured.error.details as { approval_id?: unknown } | undefined;
  return reply.code === 'denied' && details?.approval_id !== undefined ? 'declined' : undefined;
}
