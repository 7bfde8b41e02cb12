import type { AgentProfile } from './agents.ts';

/** The states of a task; `store/team/tasks/transition.ts` says which may follow which. */
export const taskStatuses = ['backlog', 'todo', 'in_progress', 'blocked', 'done', 'cancelled'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** Bounds of text that agents write. */
export const teamLimits = {
  titleChars: 200,
  descriptionChars: 20_000,
  reasonChars: 2_000,
  messageChars: 4_000,
  batchTasks: 100,
  listTasks: 100,
  waitSeconds: 50,
  minTurns: 2,
  maxTurns: 40,
} as const;

export interface TaskView {
  task_id: string;
  title: string;
  status: TaskStatus;
  description?: string;
  parent_task_id?: string;
  assignee_id?: string;
  created_by: string;
  depends_on?: string[];
  subtasks?: Record<string, number>;
  result?: string;
  summary?: string;
  reason?: string;
  lease_expires_at?: string;
}

export interface NewTask {
  readonly title: string;
  readonly description?: string | undefined;
  readonly parent_task_id?: string | undefined;
  readonly depends_on?: readonly string[] | undefined;
  readonly assignee_id?: string | undefined;
  readonly status?: 'backlog' | 'todo' | undefined;
}

export interface BatchTask {
  readonly local_id: string;
  readonly title: string;
  readonly description?: string | undefined;
  readonly depends_on?: readonly string[] | undefined;
  readonly assignee_id?: string | undefined;
}

export interface MadeTask {
  task_id: string;
  /** A task of this title was already open under the same parent; it is returned unchanged. */
  existed?: boolean;
  /** The status of the existing task. */
  status?: TaskStatus;
}

export interface TeamTasks {
  /** The task of this session, or the one that the agent has in progress. */
  myTask(): Promise<{ task?: TaskView; instruction: string }>;
  listTasks(input: {
    readonly status?: TaskStatus | undefined;
    readonly assignee_id?: string | undefined;
    readonly parent_task_id?: string | undefined;
    readonly cursor?: string | undefined;
    readonly limit: number;
  }): Promise<{ tasks: TaskView[]; next_cursor?: string }>;
  getTask(input: { readonly task_id: string }): Promise<{ task: TaskView; events: TaskEventView[] }>;
  createTask(input: NewTask): Promise<MadeTask>;
  /** All of them or none. */
  createTasks(input: {
    readonly parent_task_id?: string | undefined;
    readonly tasks: readonly BatchTask[];
  }): Promise<{ tasks: (MadeTask & { local_id: string })[] }>;
  /** Exclusive; returns the same answer if its owner asks again. */
  claimTask(input: { readonly task_id?: string | undefined }): Promise<{ task?: TaskView; reason?: string }>;
  releaseTask(input: {
    readonly task_id?: string | undefined;
    readonly reason?: string | undefined;
  }): Promise<{
    success: boolean;
  }>;
  updateTaskStatus(input: {
    readonly task_id: string;
    readonly status: TaskStatus;
    readonly reason?: string | undefined;
  }): Promise<{ task: TaskView }>;
  reportCompleted(input: {
    readonly result: 'success' | 'failed' | 'blocked';
    readonly summary?: string | undefined;
  }): Promise<{ success: boolean; task_id: string; status: TaskStatus; instruction: string }>;
  requestTask(input: {
    readonly title: string;
    readonly description?: string | undefined;
    readonly assignee_id?: string | undefined;
  }): Promise<{ request_id: string; status: string; task_id?: string }>;
}

export interface TaskEventView {
  at: string;
  by: string;
  what: string;
  from?: string;
  to?: string;
  reason?: string;
}

/** Actions of a manager on the agents below it. */
export interface TeamManagement {
  subordinates(): Promise<{ agents: SubordinateView[]; pending_requests: RequestView[] }>;
  subordinate(input: { readonly agent_id: string }): Promise<AgentProfile & { tasks: TaskView[] }>;
  assignTask(input: {
    readonly task_id: string;
    readonly assignee_id: string | null;
  }): Promise<{ task: TaskView }>;
  selectAction(input: {
    readonly action: 'dispatch' | 'adjust' | 'wait' | 'complete';
    readonly reason?: string | undefined;
  }): Promise<{ success: boolean; instruction: string }>;
  approveRequest(input: { readonly request_id: string; readonly assignee_id?: string | undefined }): Promise<{
    success: boolean;
    task_id: string;
  }>;
  rejectRequest(input: { readonly request_id: string; readonly reason?: string | undefined }): Promise<{
    success: boolean;
  }>;
}

export interface SubordinateView {
  agent_id: string;
  name: string;
  hierarchy: string;
  parent_id?: string;
  tasks_in_progress: number;
  max_parallel_tasks: number;
}

export interface RequestView {
  request_id: string;
  requester_id: string;
  assignee_id: string;
  title: string;
}
