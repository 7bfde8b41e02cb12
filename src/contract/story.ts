import type { HistoryEntry } from './capabilities/history.ts';
import type { FlowPath } from './flow.ts';
import type { ApprovalRecord } from './records.ts';

/** What a call did, as a person tells it. */
export type StepKind = 'read' | 'ran' | 'changed' | 'sent' | 'refused' | 'asked' | 'failed' | 'did';

/** One call, or several alike in a row. */
export interface StoryStep {
  /** Of the first call in the log. */
  readonly seq: number;
  readonly atMs: number;
  readonly kind: StepKind;
  readonly tool: string;
  /** The command, the path, or the arguments, in a line. Not cleaned. */
  readonly line: string;
  readonly times: number;
  /** Who answered, where somebody was asked. */
  readonly approver?: string | undefined;
  /** The rule that refused or asked. */
  readonly rule?: string | undefined;
  /** Of a call that was held back for where its values come from: the values and their places. */
  readonly paths?: readonly FlowPath[] | undefined;
}

/** A path from before the session's first change of it to after its last. */
export interface StoryChange {
  readonly entry: HistoryEntry;
  readonly change: 'created' | 'changed' | 'removed' | 'undone';
  readonly times: number;
}

/** A session, from its first call to its last. */
export interface SessionStory {
  readonly sessionId: string;
  readonly principal: string;
  readonly client?: string | undefined;
  readonly transport: string;
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  /** What its person asked for, where that is known. */
  readonly said: readonly string[];
  readonly calls: number;
  readonly counts: Readonly<Record<StepKind, number>>;
  /** In their order; where there are too many, the newest. */
  readonly steps: readonly StoryStep[];
  readonly unshownSteps: number;
  readonly changes: readonly StoryChange[];
}

/** A session in a line of a digest. */
export type SessionLine = Omit<SessionStory, 'steps' | 'unshownSteps' | 'changes'> & {
  readonly changedPaths: number;
};

/** What happened in a stretch of time, in all sessions. */
export interface Digest {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly calls: number;
  readonly counts: Readonly<Record<StepKind, number>>;
  /** The newest first. */
  readonly sessions: readonly SessionLine[];
  /** Questions that were put, and what came of them. */
  readonly questions: { readonly answered: readonly AnsweredLine[]; readonly waiting: number };
  /** Refusals, by rule, the most frequent first. */
  readonly refusals: readonly { readonly rule: string; readonly times: number; readonly example: string }[];
  /** Paths that changed, the newest first. */
  readonly changes: readonly StoryChange[];
  /** Yeses that end within a day, and those that nothing has needed for weeks. */
  readonly ending: readonly StandingGrant[];
  readonly unused: readonly StandingGrant[];
  /** There was more than is looked at. */
  readonly isCut: boolean;
}

/** How often one person gave one answer. */
export interface AnsweredLine {
  readonly by: string;
  readonly decision: 'approved' | 'declined';
  readonly times: number;
}

/** A yes that stands. */
export interface StandingGrant {
  readonly record: ApprovalRecord;
  /** The rules as they stand. */
  readonly rule: string;
  /** When it ends by itself; absent: it does not. */
  readonly endsAtMs?: number | undefined;
  /** No call has needed it for so long that it may as well be taken back. */
  readonly isUnused: boolean;
}
