/** Actions for the program that starts agents. */
export interface TeamCoordination {
  health(): Promise<{
    status: string;
    agents: number;
    projects: number;
    sessions: number;
    tasks: Record<string, number>;
  }>;
  managedAgents(): Promise<{ agents: ManagedAgent[] }>;
  activeProjects(): Promise<{
    projects: { project_id: string; name: string; working_directory?: string; agents: string[] }[];
  }>;
  /** Says whether to start the agent. A start is leased, so that it cannot be started twice. */
  agentAction(input: { readonly agent_id: string; readonly project_id: string }): Promise<AgentAction>;
  processExit(input: {
    readonly session_id: string;
    readonly exit_code?: number | undefined;
  }): Promise<{ success: boolean; task_id?: string }>;
  agentError(input: {
    readonly agent_id: string;
    readonly project_id: string;
    readonly message: string;
  }): Promise<{ success: boolean }>;
}

export interface ManagedAgent {
  agent_id: string;
  name: string;
  hierarchy: string;
  status: string;
  projects: string[];
  sessions: { session_id: string; project_id: string; purpose: string; task_id?: string }[];
}

export interface AgentAction {
  action: 'start' | 'hold';
  reason: string;
  spawn_id?: string;
  expires_in?: number;
  start?: {
    agent_id: string;
    name: string;
    hierarchy: string;
    project_id: string;
    purpose: string;
    working_directory?: string;
    task_id?: string;
  };
}
