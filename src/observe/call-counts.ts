import type { Call } from '../contract/call.ts';
import type { CallEnd, CallWatch, CallWatcher, WatchedStop } from '../contract/observe.ts';
import type { CallStop } from '../contract/records.ts';
import type { Tool } from '../contract/tool/tool.ts';
import { createHistogram, type Histogram, observe } from './histogram.ts';

/** Outcomes of calls since the server began to count. */
export interface CallCounts extends CallWatcher {
  readonly tools: ReadonlyMap<string, ToolCount>;
  readonly refusals: ReadonlyMap<string, Refusals>;
  readonly approvals: Readonly<Record<ApprovalAnswer, number>>;
  readonly approvalWait: Histogram;
  running(): number;
}

export interface ToolCount {
  /** By outcome and code: `ok`, `error denied`. */
  readonly results: Map<string, number>;
  readonly seconds: Histogram;
}

/** Calls that ended before their tool ran. */
export interface Refusals {
  readonly stop: CallStop;
  readonly code: string;
  times: number;
}

/** The outcome of asking a person. `asked`: the question went to the client, which answers with another call. */
export type ApprovalAnswer = 'approved' | 'declined' | 'unanswered' | 'asked';

/** Names of proxied tools are foreign: beyond this many they are counted together. */
export const maxProxiedTools = 100;
const otherTools = 'other';

/** Counts calls. Keeps no user, path or argument; its size does not grow with the calls. */
export function createCallCounts(now: () => number = () => performance.now()): CallCounts {
  const tools = new Map<string, ToolCount>();
  const refusals = new Map<string, Refusals>();
  const approvals = { approved: 0, declined: 0, unanswered: 0, asked: 0 };
  const approvalWait = createHistogram();
  let proxied = 0;
  let running = 0;

  function countOf(tool: Tool | undefined): ToolCount {
    const name = tool?.name ?? otherTools;
    const known = tools.get(name);
    if (known) return known;
    if (tool?.server !== undefined) {
      if (proxied >= maxProxiedTools) return countOf(undefined);
      proxied += 1;
    }
    const made: ToolCount = { results: new Map(), seconds: createHistogram() };
    tools.set(name, made);
    return made;
  }

  function ended({ reply, stop, tool, approver }: CallEnd, seconds: number, waitedSeconds: number): void {
    const count = countOf(tool);
    const code = reply.kind === 'error' ? reply.code : undefined;
    const failed = reply.kind === 'output' && reply.isError === true;
    const result = code ?? (failed ? 'error' : reply.kind === 'output' ? 'ok' : 'question');
    count.results.set(result, (count.results.get(result) ?? 0) + 1);
    observe(count.seconds, seconds);
    if (code !== undefined && stop !== 'run') {
      const key = `${stop} ${code}`;
      const refusal = refusals.get(key);
      if (refusal) refusal.times += 1;
      else refusals.set(key, { stop, code, times: 1 });
    }
    const answer = answerOf({ reply, stop, tool, approver });
    if (answer === undefined) return;
    approvals[answer] += 1;
    if (answer !== 'asked') observe(approvalWait, waitedSeconds);
  }

  return {
    tools,
    refusals,
    approvals,
    approvalWait,
    running: () => running,
    begin(_call: Call): CallWatch {
      const beganAt = now();
      let askedAt = 0;
      let wentOnAt = 0;
      running += 1;
      return {
        reached(stop: WatchedStop) {
          if (stop === 'approve') askedAt = now();
          else if (askedAt !== 0 && wentOnAt === 0) wentOnAt = now();
        },
        ended(end) {
          running -= 1;
          ended(end, (now() - beganAt) / 1000, (wentOnAt - askedAt) / 1000);
        },
      };
    },
  };
}

function answerOf({ reply, stop, approver }: CallEnd): ApprovalAnswer | undefined {
  if (approver !== undefined) return 'approved';
  if (stop !== 'approve') return undefined;
  if (reply.kind === 'question') return 'asked';
  if (reply.kind !== 'error') return undefined;
  if (reply.code === 'approval_pending') return 'unanswered';
  const details = reply.structured.error.details as { approval_id?: unknown } | undefined;
  return reply.code === 'denied' && details?.approval_id !== undefined ? 'declined' : undefined;
}
