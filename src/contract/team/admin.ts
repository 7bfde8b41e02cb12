import type { Hierarchy } from './agents.ts';
import type { TaskEventView, TaskStatus, TaskView } from './tasks.ts';

/** What a person at the command line may do with agents, projects and tasks. */
export interface TeamAdmin {
  agents(): Promise<readonly AgentRecord[]>;
  projects(): Promise<readonly ProjectRecord[]>;
  addAgent(agent: AgentInput): Promise<void>;
  changeAgent(id: string, change: Partial<Omit<AgentInput, 'id'>>): Promise<void>;
  /** Its sessions end, its open tasks are free again. */
  removeAgent(id: string): Promise<boolean>;
  addProject(project: ProjectInput): Promise<void>;
  changeProject(id: string, change: Partial<Omit<ProjectInput, 'id'>>): Promise<void>;
  assign(agentId: string, projectId: string): Promise<void>;
  unassign(agentId: string, projectId: string): Promise<boolean>;
  /** From now on this token is the coordinator's, and no other. */
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
  /** Says something to an agent in the person's name, in the conversation that is open or in a new one. */
  writeTo(agentId: string, projectId: string, content: string): Promise<{ readonly seq: number }>;
  /** What the person and the agent said to each other; the agent's words are read from now on. */
  talkWith(agentId: string, projectId: string, wanted: TalkWanted): Promise<Talk>;
}

export interface TalkWanted {
  /** What came after this; without it, the newest. */
  readonly afterSeq?: number | undefined;
  /** How long to wait for words of the agent where there are none. */
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
  /** A chat session of the agent is alive; else its words come when it is started. */
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

export interface AgentRecord {
  readonly id: string;
  readonly name: string;
  readonly hierarchy: Hierarchy;
  readonly parentId?: string | undefined;
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

export interface ProjectRecord {
  readonly id: string;
  readonly name: string;
  readonly workingDirectory?: string | undefined;
  readonly status: string;
}
