export type Hierarchy = 'manager' | 'worker';

export interface AgentProfile {
  agent_id: string;
  name: string;
  hierarchy: Hierarchy;
  parent_id?: string;
  projects: string[];
  status: string;
  max_parallel_tasks: number;
  tasks_in_progress: number;
  model?: string;
}
