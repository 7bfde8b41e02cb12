import type { SessionRow, TaskRow } from '../tables/team.ts';

/**
 * A fleet's frequent queries, each in one round trip. They cover only the plain case of the slow path: undefined (or
 * false) means that nothing was changed and the caller must use the slow path.
 */
export interface QuickTeam {
  /** The sessions with this hash, one or none. */
  sessions(hash: string): Promise<readonly FoundSession[] | undefined>;
  /** Notes a use of the session: extends it and the lease of its tasks. */
  touch(session: SessionRow, times: Touched): Promise<boolean>;
  /** Takes the first free task of the project for a session without a task. */
  claim(who: QuickMember, leaseUntilMs: number): Promise<ClaimedTask | undefined>;
  /** Ends the session's task; one that is a part of another, or has open parts, needs the slow path. */
  report(who: QuickMember, report: QuickReport): Promise<string | undefined>;
}

/** A session with its agent's rank, and the creators of its task and of the wholes it is part of, outermost first. */
export type FoundSession = SessionRow & { readonly hierarchy: string; readonly given_by: string | null };

export interface QuickMember {
  readonly sessionId: string;
  readonly agentId: string;
  readonly projectId: string;
  readonly nowMs: number;
}

export interface Touched {
  readonly nowMs: number;
  readonly expiresAtMs: number;
  readonly leaseUntilMs: number;
}

export interface ClaimedTask {
  readonly task: TaskRow;
  readonly dependsOn: readonly string[];
  readonly subtasks: Readonly<Record<string, number>>;
}

export interface QuickReport {
  readonly to: 'done' | 'blocked';
  readonly result: string;
  readonly summary: string | null;
  readonly reason: string | null;
}
