import type { SessionRow, TaskRow } from '../tables/team.ts';

/**
 * What a fleet of agents asks for all the time, in one trip to a database that is a trip away. Each does what the longer
 * way beside it does, in the plain case alone; where it answers nothing, nothing happened and the longer way is gone.
 */
export interface QuickTeam {
  /** The sessions with this hash, one or none. */
  sessions(hash: string): Promise<readonly FoundSession[] | undefined>;
  /** The session was used: it slides on, and so does the lease of its tasks. */
  touch(session: SessionRow, times: Touched): Promise<boolean>;
  /** Takes the first free task of the project for a session that has none in hand. */
  claim(who: QuickMember, leaseUntilMs: number): Promise<ClaimedTask | undefined>;
  /** Ends the task in hand; one that is part of another, or has parts that are open, goes the longer way. */
  report(who: QuickMember, report: QuickReport): Promise<string | undefined>;
}

/** A session with its agent's rank, and the makers of its task and of what that is a part of, the outermost first. */
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
