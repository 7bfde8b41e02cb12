import type { TaskStatus } from './tasks.ts';
import type { TaskEventView, TaskView } from './team.ts';

export type Hierarchy = 'manager' | 'worker';

/** Management of agents, projects and tasks by a person. */
export interface TeamAdmin {
  agents(): Promise<readonly AgentRecord[]>;
  projects(): Promise<readonly ProjectRecord[]>;
  addAgent(agent: AgentInput): Promise<void>;
  changeAgent(id: string, change: Partial<Omit<AgentInput, 'id'>>): Promise<void>;
  /** Ends its sessions and frees its open tasks. */
  removeAgent(id: string): Promise<boolean>;
  addProject(project: ProjectInput): Promise<void>;
  changeProject(id: string, change: Partial<Omit<ProjectInput, 'id'>>): Promise<void>;
  assign(agentId: string, projectId: string): Promise<void>;
  unassign(agentId: string, projectId: string): Promise<boolean>;
  /** Replaces the coordinator's token. */
  setCoordinatorToken(token: string): Promise<void>;
  isPasskey(agentId: string, passkey: string): Promise<boolean>;
  isCoordinatorToken(token: string): Promise<boolean>;
  addTask(task: {
    readonly projectId: string;
    readonly title: string;
    readonly description?: string | undefined;
    readonly assigneeId?: string | undefined;
    readonly start?: boolean | undefined;
  }): Promise<string>;
  tasks(filter: {
    readonly projectId?: string | undefined;
    readonly status?: TaskStatus | undefined;
  }): Promise<readonly (TaskView & { readonly project_id: string })[]>;
  task(id: string): Promise<{
    readonly task: TaskView & { readonly project_id: string };
    readonly events: readonly TaskEventView[];
  }>;
  assignTask(id: string, agentId: string | undefined): Promise<void>;
  cancelTask(id: string, reason?: string): Promise<void>;
  /** Sends a message to an agent in the person's name, in the open conversation or a new one. */
  writeTo(agentId: string, projectId: string, content: string): Promise<{ readonly seq: number }>;
  /** The messages between the person and the agent; marks the agent's as read. */
  talkWith(agentId: string, projectId: string, wanted: TalkWanted): Promise<Talk>;
}

export interface TalkWanted {
  /** Return messages after this one; default: the newest. */
  readonly afterSeq?: number | undefined;
  /** How long to wait for a message of the agent if there is none. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

export interface Talk {
  /** Oldest first. */
  readonly messages: readonly {
    readonly seq: number;
    readonly isAgents: boolean;
    readonly content: string;
    readonly atMs: number;
  }[];
  /** A chat session of the agent is alive; otherwise its reply comes after it is started. */
  readonly isThere: boolean;
}

export interface AgentInput {
  readonly id: string;
  readonly name: string;
  readonly hierarchy: Hierarchy;
  readonly parentId?: string | undefined;
  readonly passkey: string;
  readonly maxParallelTasks?: number | undefined;
}

export interface AgentRecord extends Omit<AgentInput, 'passkey' | 'maxParallelTasks'> {
  readonly status: string;
  readonly maxParallelTasks: number;
  readonly projects: readonly string[];
}

export interface ProjectInput {
  readonly id: string;
  readonly name: string;
  readonly workingDirectory?: string | undefined;
  readonly status?: 'active' | 'paused' | undefined;
}

export interface ProjectRecord extends Omit<ProjectInput, 'status'> {
  readonly status: string;
}
