import type { MaybeNumbers, MaybeTexts, Numbered, Numbers, Texts } from './columns.ts';

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
  tasks: Numbered<TaskRow>;
  task_dependencies: { task_id: string; depends_on_id: string };
  task_events: Numbered<TaskEventRow>;
  task_requests: RequestRow;
  executions: ExecutionRow;
  conversations: ConversationRow;
  messages: Numbered<MessageRow>;
  delegations: DelegationRow;
  notifications: Numbered<NotificationRow>;
}

export type AgentRow = Texts<'id' | 'name' | 'hierarchy' | 'status' | 'passkey_hash'> &
  Numbers<'max_parallel_tasks' | 'created_at_ms'> &
  MaybeTexts<'parent_id' | 'model'>;

export type ProjectRow = Texts<'id' | 'name' | 'status'> &
  Numbers<'created_at_ms'> &
  MaybeTexts<'working_directory'>;

export interface SessionRow
  extends Texts<'id' | 'hash' | 'agent_id' | 'project_id' | 'purpose'>,
    Numbers<'fence' | 'has_read_task' | 'selected_at_event' | 'created_at_ms' | 'used_at_ms' | 'ends_at_ms'>,
    MaybeTexts<'selected_action' | 'spawn_id'> {
  /** The task of the session, and its fence when the session took it. */
  task_id: string | null;
  /** Extended by use, up to `ends_at_ms`. */
  expires_at_ms: number;
}

export interface TaskRow
  extends Texts<'id' | 'project_id' | 'title' | 'description' | 'status' | 'created_by'>,
    Numbers<'created_at_ms' | 'changed_at_ms'>,
    MaybeTexts<'parent_id' | 'assignee_id' | 'lease_session_id' | 'result' | 'summary' | 'reason'>,
    MaybeNumbers<'lease_expires_at_ms'> {
  /** Creation order. */
  seq: number;
  /** Claimed by its owner rather than assigned: others may take it when its lease has expired. */
  is_claimed: number;
  /** Rises with each owner; a write with an older one comes from a former owner. */
  fence: number;
}

export type TaskEventRow = Texts<'project_id' | 'task_id' | 'by_whom' | 'what'> &
  Numbers<'seq' | 'at_ms' | 'fence'> &
  MaybeTexts<'from_status' | 'to_status' | 'reason'>;

export type RequestRow = Texts<
  'id' | 'project_id' | 'requester_id' | 'assignee_id' | 'title' | 'description' | 'status'
> &
  Numbers<'created_at_ms'> &
  MaybeTexts<'decided_by' | 'reason' | 'task_id'>;

export type ExecutionRow = Texts<'id' | 'agent_id' | 'project_id' | 'task_id' | 'status'> &
  Numbers<'started_at_ms'> &
  MaybeTexts<'summary' | 'model'> &
  MaybeNumbers<'ended_at_ms'>;

export type ConversationRow = Texts<
  'id' | 'project_id' | 'initiator_id' | 'participant_id' | 'purpose' | 'status'
> &
  Numbers<'turns' | 'max_turns' | 'created_at_ms' | 'changed_at_ms'> &
  MaybeTexts<'delegation_id' | 'ended_by' | 'outcome'>;

export type MessageRow = Texts<'id' | 'conversation_id' | 'project_id' | 'from_id' | 'to_id' | 'content'> &
  Numbers<'seq' | 'sent_at_ms'> &
  MaybeNumbers<'delivered_at_ms' | 'read_at_ms'>;

export type DelegationRow = Texts<
  'id' | 'project_id' | 'agent_id' | 'target_id' | 'task_id' | 'purpose' | 'status'
> &
  Numbers<'created_at_ms' | 'changed_at_ms'> &
  MaybeTexts<'context' | 'result'>;

export type NotificationRow = Texts<'id' | 'agent_id' | 'project_id' | 'kind' | 'message'> &
  Numbers<'seq' | 'sent_at_ms'> &
  MaybeTexts<'task_id'> &
  MaybeNumbers<'read_at_ms'>;
