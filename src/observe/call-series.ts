import type { CallCounts } from './call-counts.ts';
import { gauge, type Series } from './exposition.ts';

export function callSeries(counts: CallCounts): readonly Series[] {
  const tools = [...counts.tools];
  return [
    {
      name: 'sekisho_calls_total',
      help: 'Calls that were answered, by tool, outcome and error code.',
      type: 'counter',
      samples: tools.flatMap(([tool, { results }]) =>
        [...results].map(([result, value]) => ({ labels: { tool, ...outcomeOf(result) }, value })),
      ),
    },
    {
      name: 'sekisho_call_duration_seconds',
      help: 'From the arrival of a call to its reply, its record and the wait for a person included.',
      type: 'histogram',
      samples: tools.map(([tool, { seconds }]) => ({ labels: { tool }, value: seconds })),
    },
    gauge('sekisho_calls_running', 'Calls that are under way.', counts.running()),
    {
      name: 'sekisho_refusals_total',
      help: 'Calls that ended before their tool ran, by the stop that ended them; rate_limited is a code.',
      type: 'counter',
      samples: [...counts.refusals.values()].map(({ stop, code, times }) => ({
        labels: { stop, code },
        value: times,
      })),
    },
    {
      name: 'sekisho_approvals_total',
      help: 'What came of calls that need a person: approved, declined, unanswered in time, or asked of the client.',
      type: 'counter',
      samples: Object.entries(counts.approvals).map(([answer, value]) => ({ labels: { answer }, value })),
    },
    {
      name: 'sekisho_approval_wait_seconds',
      help: 'How long calls waited for a person.',
      type: 'histogram',
      samples: [{ value: counts.approvalWait }],
    },
  ];
}

function outcomeOf(result: string): { outcome: string; code: string } {
  if (result === 'ok' || result === 'question') return { outcome: result, code: '' };
  // A proxied tool's own failure has no code of ours.
  return { outcome: 'error', code: result === 'error' ? 'tool_error' : result };
}
