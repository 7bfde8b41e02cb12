import type { Generated } from 'kysely';

/** The tables of agents and their work; part of `Tables`. */
export interface TeamTables {
  agents: AgentRow;
  projects: ProjectRow;
  assignments: { agent_id: string; project_id: string };
  coordinator_tokens: { hash: string; created_at_ms: number };
  passkey_attempts: { id: string; name: string; at_ms: number };
  agent_sessions: SessionRow;
  session_bindings: { connection_id: string; session_id: string };
  spawn_leases: { agent_id: string; project_id: string; id: string; expires_at_ms: number };
  tasks: Counted<TaskRow>;
  task_dependencies: { task_id: string; depends_on_id: string };
  task_events: Counted<TaskEventRow>;
  task_requests: RequestRow;
  executions: ExecutionRow;
  conversations: ConversationRow;
  messages: Counted<MessageRow>;
  delegations: DelegationRow;
  notifications: Counted<NotificationRow>;
}

export interface AgentRow {
  id: string;
  name: string;
  hierarchy: string;
  parent_id: string | null;
  status: string;
  max_parallel_tasks: number;
  passkey_hash: string;
  model: string | null;
  created_at_ms: number;
}

export interface ProjectRow {
  id: string;
  name: string;
  working_directory: string | null;
  status: string;
  created_at_ms: number;
}

export interface SessionRow {
  id: string;
  hash: string;
  agent_id: string;
  project_id: string;
  purpose: string;
  /** The task of the session, and its fence when the session took it. */
  task_id: string | null;
  fence: number;
  has_read_task: number;
  selected_action: string | null;
  selected_at_event: number;
  spawn_id: string | null;
  created_at_ms: number;
  used_at_ms: number;
  /** Extended by use, up to `ends_at_ms`. */
  expires_at_ms: number;
  ends_at_ms: number;
}

export interface TaskRow {
  /** Creation order. */
  seq: number;
  id: string;
  project_id: string;
  parent_id: string | null;
  title: string;
  description: string;
  status: string;
  assignee_id: string | null;
  created_by: string;
  /** Claimed by its owner rather than assigned: others may take it when its lease has expired. */
  is_claimed: number;
  lease_session_id: string | null;
  lease_expires_at_ms: number | null;
  /** Rises with each owner; a write with an older one comes from a former owner. */
  fence: number;
  result: string | null;
  summary: string | null;
  reason: string | null;
  created_at_ms: number;
  changed_at_ms: number;
}

export interface TaskEventRow {
  seq: number;
  project_id: string;
  task_id: string;
  at_ms: number;
  by_whom: string;
  what: string;
  from_status: string | null;
  to_status: string | null;
  fence: number;
  reason: string | null;
}

export interface RequestRow {
  id: string;
  project_id: string;
  requester_id: string;
  assignee_id: string;
  title: string;
  description: string;
  status: string;
  decided_by: string | null;
  reason: string | null;
  task_id: string | null;
  created_at_ms: number;
}

export interface ExecutionRow {
  id: string;
  agent_id: string;
  project_id: string;
  task_id: string;
  status: string;
  summary: string | null;
  model: string | null;
  started_at_ms: number;
  ended_at_ms: number | null;
}

export interface ConversationRow {
  id: string;
  project_id: string;
  initiator_id: string;
  participant_id: string;
  purpose: string;
  status: string;
  turns: number;
  max_turns: number;
  delegation_id: string | null;
  ended_by: string | null;
  outcome: string | null;
  created_at_ms: number;
  changed_at_ms: number;
}

export interface MessageRow {
  seq: number;
  id: string;
  conversation_id: string;
  project_id: string;
  from_id: string;
  to_id: string;
  content: string;
  sent_at_ms: number;
  delivered_at_ms: number | null;
  read_at_ms: number | null;
}

export interface DelegationRow {
  id: string;
  project_id: string;
  agent_id: string;
  target_id: string;
  task_id: string;
  purpose: string;
  context: string | null;
  status: string;
  result: string | null;
  created_at_ms: number;
  changed_at_ms: number;
}

export interface NotificationRow {
  seq: number;
  id: string;
  agent_id: string;
  project_id: string;
  kind: string;
  message: string;
  task_id: string | null;
  sent_at_ms: number;
  read_at_ms: number | null;
}

/** A table whose `seq` the database assigns. */
type Counted<Row extends { seq: number }> = Omit<Row, 'seq'> & { seq: Generated<number> };
