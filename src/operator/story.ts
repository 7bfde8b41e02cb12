import type { HistoryEntry } from '../contract/capabilities/history.ts';
import type {
  SessionLine,
  SessionStory,
  StepKind,
  StoryChange,
  StoryStep,
} from '../contract/people/story.ts';
import type { AuditEntry } from '../contract/records.ts';
import { shownCall } from '../ground/questions/would-cover.ts';
import { flowPathsIn } from '../ground/records/flow-paths.ts';
import { requestLine, requestsIn } from '../ground/records/requests-in.ts';
import { changeOf } from '../ground/text/digest-words.ts';

/** A session as a story: what was asked, read, run and changed. From entries and changes; undefined without calls. */
export function storyOf(
  entries: readonly AuditEntry[],
  history: readonly HistoryEntry[],
): SessionStory | undefined {
  const line = sessionLine(entries, history);
  if (!line) return undefined;
  const { changedPaths: _changedPaths, ...about } = line;
  const changed = new Set(history.map(({ auditId }) => auditId));
  const steps = joined(entries.map((entry) => stepOf(entry, changed)));
  return {
    ...about,
    steps: steps.slice(-mostSteps),
    unshownSteps: Math.max(0, steps.length - mostSteps),
    changes: netChanges(history),
  };
}

/** The session in one line. */
export function sessionLine(
  entries: readonly AuditEntry[],
  history: readonly HistoryEntry[],
): SessionLine | undefined {
  const [first] = entries;
  const last = entries.at(-1);
  if (!first || !last) return undefined;
  const changed = new Set(history.map(({ auditId }) => auditId));
  const { sessionId, principal, client, transport } = first;
  return {
    sessionId,
    principal,
    client,
    transport,
    beganAtMs: first.atMs,
    endedAtMs: last.atMs + last.durationMs,
    said: [...new Set(entries.flatMap(({ facts }) => (typeof facts?.said === 'string' ? [facts.said] : [])))],
    calls: entries.length,
    counts: countsOf(entries, changed),
    changedPaths: netChanges(history).length,
  };
}

export function countsOf(
  entries: readonly AuditEntry[],
  changed: ReadonlySet<string>,
): Readonly<Record<StepKind, number>> {
  const counts = { read: 0, ran: 0, changed: 0, sent: 0, refused: 0, asked: 0, failed: 0, did: 0 };
  for (const entry of entries) counts[kindOf(entry, changed)] += 1;
  return counts;
}

/** Each path once, from before its first change to after its last; restored ones count as undone. Newest first. */
export function netChanges(history: readonly HistoryEntry[]): readonly StoryChange[] {
  const paths = new Map<string, HistoryEntry[]>();
  for (const entry of history) {
    const key = `${entry.root}\0${entry.path}`;
    paths.set(key, [...(paths.get(key) ?? []), entry]);
  }
  const changes = [...paths.values()].flatMap((entries): StoryChange[] => {
    const [first] = entries;
    const last = entries.at(-1);
    if (!first || !last) return [];
    const entry = { ...last, before: first.before };
    return [{ entry, times: entries.length, change: changeSince(entry) }];
  });
  return changes.sort((one, other) => other.entry.seq - one.entry.seq);
}

function changeSince({ undoneBy, ...entry }: HistoryEntry): StoryChange['change'] {
  const isBack = JSON.stringify(entry.before) === JSON.stringify(entry.after);
  return undoneBy !== undefined || isBack ? 'undone' : changeOf(entry);
}

function stepOf(entry: AuditEntry, changed: ReadonlySet<string>): StoryStep {
  const { seq, atMs, tool, approver, rule } = entry;
  const kind = kindOf(entry, changed);
  const paths = flowPathsIn(entry.facts);
  const isRuled = kind === 'refused' || kind === 'asked' || approver !== undefined;
  return {
    seq,
    atMs,
    kind,
    tool,
    line: [lineOf(entry), ...sentBy(entry)].join(' → '),
    times: 1,
    ...(approver !== undefined && { approver }),
    ...(isRuled && rule !== undefined && { rule }),
    ...(paths.length > 0 && { paths }),
  };
}

/** Consecutive calls with the same text are one step. */
function joined(steps: readonly StoryStep[]): readonly StoryStep[] {
  const all: StoryStep[] = [];
  for (const step of steps) {
    const last = all.at(-1);
    const isSame =
      last?.kind === step.kind &&
      last.tool === step.tool &&
      last.line === step.line &&
      last.approver === step.approver;
    if (last && isSame) all[all.length - 1] = { ...last, times: last.times + 1 };
    else all.push(step);
  }
  return all;
}

function kindOf(entry: AuditEntry, changed: ReadonlySet<string>): StepKind {
  const { outcome, code, stop, tool, arguments: given, facts } = entry;
  if (outcome === 'question' || code === 'approval_pending') return 'asked';
  if (outcome !== 'ok') return stop === 'run' ? 'failed' : 'refused';
  if (changed.has(entry.id)) return 'changed';
  if (sentBy(entry).length > 0) return 'sent';
  if (hasText(given, 'command')) return 'ran';
  if (facts?.flow !== undefined) return 'sent';
  return hasText(given, 'path') || hasText(given, 'pattern') || /read|list|search|glob|grep/.test(tool)
    ? 'read'
    : 'did';
}

/** The requests of a command that did more than read and were let through. */
function sentBy({ facts }: AuditEntry): readonly string[] {
  return requestsIn(facts).flatMap((request) =>
    request.allowedBy === undefined ? [] : requestLine(request),
  );
}

function lineOf(entry: AuditEntry): string {
  const { arguments: given } = entry;
  if (hasText(given, 'command')) return shownCall(entry);
  // A search names the folder as well, which says less.
  if (hasText(given, 'pattern')) return given.pattern;
  return hasText(given, 'path') ? given.path : shownCall(entry);
}

function hasText<Key extends string>(given: unknown, key: Key): given is Readonly<Record<Key, string>> {
  return typeof given === 'object' && given !== null && typeof Reflect.get(given, key) === 'string';
}

/** The story is for people; the log has the rest. */
const mostSteps = 500;
