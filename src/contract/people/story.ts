import type { HistoryEntry } from '../capabilities/history.ts';
import type { FlowPath } from '../flow.ts';
import type { ApprovalRecord } from '../records.ts';

/** The kind of a call's effect, for people. */
export type StepKind = 'read' | 'ran' | 'changed' | 'sent' | 'refused' | 'asked' | 'failed' | 'did';

/** One call, or several alike in a row. */
export interface StoryStep {
  /** The number of the first call in the log. */
  readonly seq: number;
  readonly atMs: number;
  readonly kind: StepKind;
  readonly tool: string;
  /** The command, the path, or the arguments, in one line. Not cleaned. */
  readonly line: string;
  readonly times: number;
  /** The approver, if a person was asked. */
  readonly approver?: string | undefined;
  /** The rule that refused or asked. */
  readonly rule?: string | undefined;
  /** If the call was stopped because of where its values come from: the values and their origins. */
  readonly paths?: readonly FlowPath[] | undefined;
}

/** A path, from before the session's first change of it to after its last. */
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
  /** The requests of its person, if known. */
  readonly said: readonly string[];
  readonly calls: number;
  readonly counts: Readonly<Record<StepKind, number>>;
  /** In order; the newest if there are too many. */
  readonly steps: readonly StoryStep[];
  readonly unshownSteps: number;
  readonly changes: readonly StoryChange[];
}

/** A session, as one line of a digest. */
export type SessionLine = Omit<SessionStory, 'steps' | 'unshownSteps' | 'changes'> & {
  readonly changedPaths: number;
};

/** Everything that happened in a period, in all sessions. */
export interface Digest {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly calls: number;
  readonly counts: Readonly<Record<StepKind, number>>;
  /** Newest first. */
  readonly sessions: readonly SessionLine[];
  /** Questions that were asked, and their outcomes. */
  readonly questions: { readonly answered: readonly AnsweredLine[]; readonly waiting: number };
  /** Refusals, by rule, the most frequent first. */
  readonly refusals: readonly { readonly rule: string; readonly times: number; readonly example: string }[];
  /** Changed paths, newest first. */
  readonly changes: readonly StoryChange[];
  /** Standing approvals that end within a day, and those unused for weeks. */
  readonly ending: readonly StandingGrant[];
  readonly unused: readonly StandingGrant[];
  /** There was more than was examined. */
  readonly isCut: boolean;
}

/** How often one person gave one answer. */
export interface AnsweredLine {
  readonly by: string;
  readonly decision: 'approved' | 'declined';
  readonly times: number;
}

export interface StandingGrant {
  readonly record: ApprovalRecord;
  readonly rule: string;
  /** When it expires; undefined if never. */
  readonly endsAtMs?: number | undefined;
  /** No call has used it for so long that it may be revoked. */
  readonly isUnused: boolean;
}
