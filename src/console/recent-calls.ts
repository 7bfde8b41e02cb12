import { setImmediate as immediate } from 'node:timers/promises';
import type { AuditEntry, AuditLog } from '../contract/records.ts';
import { sharing } from '../ground/waiting/sharing.ts';

/** The facts of a call that charts and the list of sessions need. */
export interface RecentCall extends Pick<AuditEntry, Kept> {
  /** Its command, or its tool with the arguments, in a line. */
  readonly what: string;
  readonly kind: 'passed' | 'refused' | 'failed' | 'asked';
  /** The call waited for a person, so its duration says nothing of our speed. */
  readonly waited: boolean;
}

type Kept =
  | 'id'
  | 'seq'
  | 'atMs'
  | 'principal'
  | 'sessionId'
  | 'transport'
  | 'client'
  | 'tool'
  | 'durationMs';

export type RecentCalls = ReturnType<typeof createRecentCalls>;

/** Keeps the newest calls in short form, so that a chart reads only what was added since the last one. */
export function createRecentCalls(audit: () => Promise<AuditLog>) {
  let kept: RecentCall[] = [];
  let lastSeq: number | undefined;

  async function begin(log: AuditLog): Promise<void> {
    const pages: AuditEntry[][] = [];
    let beforeSeq: number | undefined;
    for (let rows = 0; rows < keptCalls; rows += pageRows) {
      const page = await log.search({ beforeSeq, limit: pageRows, newestFirst: true });
      lastSeq ??= page[0]?.seq ?? 0;
      pages.push([...page]);
      beforeSeq = page.at(-1)?.seq;
      if (page.length < pageRows) break;
      await immediate();
    }
    kept = pages.flat().reverse().filter(isCall).map(shortened);
  }

  async function goOn(log: AuditLog): Promise<void> {
    for (;;) {
      const page = await log.search({ afterSeq: lastSeq ?? 0, limit: pageRows });
      for (const entry of page) if (isCall(entry)) kept.push(shortened(entry));
      lastSeq = page.at(-1)?.seq ?? lastSeq;
      if (kept.length > keptCalls) kept = kept.slice(-keptCalls);
      if (page.length < pageRows) return;
      await immediate();
    }
  }

  const read = sharing(async () => {
    const log = await audit();
    await (lastSeq === undefined ? begin(log) : goOn(log));
  });
  return {
    /** The newest calls, oldest first; updated on each request. */
    async calls(): Promise<readonly RecentCall[]> {
      await read();
      return kept;
    },
  };
}

/** The log also has a person's acts, such as `sekisho undo`. */
function isCall({ tool }: AuditEntry): boolean {
  return !tool.startsWith('sekisho ');
}

function shortened(entry: AuditEntry): RecentCall {
  const { id, seq, atMs, principal, sessionId, transport, client, tool, durationMs, approver } = entry;
  const kind = kindOf(entry);
  const waited = approver !== undefined || kind === 'asked' || entry.code === 'denied';
  const what = titleOf(entry);
  return { id, seq, what, atMs, principal, sessionId, transport, client, tool, kind, durationMs, waited };
}

/** A call in a line: its command, or its tool and subject. */
export function titleOf(entry: AuditEntry): string {
  const given = subjectOf(entry);
  const isCommand = Object(entry.arguments).command === given;
  return (isCommand ? given : `${entry.tool} ${given}`).slice(0, titleChars).toWellFormed();
}

/** The first words of the arguments: a path or a command says more than the rest. */
export function subjectOf({ arguments: given }: AuditEntry): string {
  if (given === undefined || given === null) return '';
  if (typeof given !== 'object') return String(given);
  const values = Object.values(given);
  const first = values.find((value) => typeof value === 'string' && value !== '');
  if (typeof first === 'string') return first;
  return values.length === 0 ? '' : JSON.stringify(given);
}

/** A refusal by Sekisho and a failure of the work are different. */
export function kindOf({ outcome, code, stop }: AuditEntry): RecentCall['kind'] {
  if (outcome === 'ok') return 'passed';
  if (outcome === 'question' || code === 'approval_pending') return 'asked';
  return stop === 'run' ? 'failed' : 'refused';
}

const titleChars = 200;
const keptCalls = 20_000;
const pageRows = 2000;
