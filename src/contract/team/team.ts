import type { Purpose } from '../caller.ts';
import type { AgentProfile } from './agents.ts';
import type { TeamChat } from './chat.ts';
import type { TeamCoordination } from './coordination.ts';
import type { TeamManagement, TeamTasks } from './tasks.ts';

/**
 * The capability `team`: agents, projects, tasks and chats, scoped to the calling agent's project. Field names are
 * those of the wire (document 002), so that tools pass values on unchanged. Every change is on disk when it resolves.
 */
export interface Team extends TeamEntrance, TeamSelf, TeamTasks, TeamManagement, TeamChat, TeamCoordination {}

export interface TeamEntrance {
  /** Authenticates an agent and begins a session if there is work for one. Every bad proof gets the same refusal. */
  authenticate(input: {
    readonly agent_id: string;
    readonly passkey: string;
    readonly project_id: string;
    readonly purpose?: Purpose | undefined;
  }): Promise<Entry>;
  logout(): Promise<{ success: boolean }>;
}

export interface Entry {
  success: boolean;
  session_token?: string;
  expires_in?: number;
  purpose?: Purpose;
  task_id?: string;
  agent_name: string;
  reason?: string;
  instruction: string;
}

/** Reading and reporting by an agent about itself. */
export interface TeamSelf {
  profile(): Promise<AgentProfile>;
  project(): Promise<ProjectView>;
  reportModel(input: { readonly model: string }): Promise<{ success: boolean }>;
  notifications(input: { readonly ack?: readonly string[] | undefined }): Promise<{
    notifications: NotificationView[];
    more: boolean;
  }>;
  history(input: { readonly limit: number }): Promise<{ executions: ExecutionView[] }>;
  startExecution(input: {
    readonly task_id?: string | undefined;
  }): Promise<{ execution_id: string; task_id: string }>;
  completeExecution(input: {
    readonly execution_id: string;
    readonly status: 'success' | 'failed';
    readonly summary?: string | undefined;
  }): Promise<{ success: boolean }>;
  /** The next step. With a timeout, waits for a change while there is nothing to do. */
  nextAction(
    input: { readonly timeout_seconds: number; readonly after_event?: number | undefined },
    signal: AbortSignal,
  ): Promise<NextAction>;
}

export interface ProjectView {
  project_id: string;
  name: string;
  status: string;
  working_directory?: string;
  agents: string[];
  tasks: Record<string, number>;
}

export interface NotificationView {
  notification_id: string;
  kind: string;
  message: string;
  task_id?: string;
  sent_at: string;
}

export interface ExecutionView {
  execution_id: string;
  task_id: string;
  status: string;
  summary?: string;
  model?: string;
  started_at: string;
  ended_at?: string;
}

export interface NextAction {
  action: string;
  instruction: string;
  /** The tool for the step. */
  tool?: string;
  task_id?: string;
  /** The tasks that the step is about (ready, blocked, deadlocked, …), by id. */
  needs?: Record<string, string[]>;
  /** Counts of subtasks by status, and the number of the project's newest event. */
  state: Record<string, number | string>;
}
