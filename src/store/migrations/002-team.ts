import type { Migration } from './migration.ts';

/** Agents, their sessions, tasks, conversations and delegations. */
export const team: Migration = {
  name: '002-team',
  both: `
    create table agents (
      id text primary key, name text not null, hierarchy text not null, parent_id text references agents (id),
      status text not null, max_parallel_tasks integer not null, passkey_hash text not null, model text,
      created_at_ms bigint not null);
    create index agents_by_parent on agents (parent_id);
    create table projects (
      id text primary key, name text not null, working_directory text, status text not null,
      created_at_ms bigint not null);
    create table assignments (
      agent_id text not null references agents (id) on delete cascade,
      project_id text not null references projects (id) on delete cascade,
      primary key (agent_id, project_id));
    create index assignments_by_project on assignments (project_id);
    create table coordinator_tokens (hash text primary key, created_at_ms bigint not null);
    create table passkey_attempts (id text primary key, name text not null, at_ms bigint not null);
    create index passkey_attempts_by_name on passkey_attempts (name, at_ms);
    create table agent_sessions (
      id text primary key, hash text not null unique, agent_id text not null, project_id text not null,
      purpose text not null, task_id text, fence bigint not null, has_read_task integer not null,
      selected_action text, selected_at_event bigint not null, spawn_id text, created_at_ms bigint not null,
      used_at_ms bigint not null, expires_at_ms bigint not null, ends_at_ms bigint not null);
    create index agent_sessions_by_agent on agent_sessions (agent_id, project_id, purpose);
    create index agent_sessions_by_expiry on agent_sessions (expires_at_ms);
    create table session_bindings (
      connection_id text primary key,
      session_id text not null references agent_sessions (id) on delete cascade);
    create index session_bindings_by_session on session_bindings (session_id);
    create table spawn_leases (
      agent_id text not null, project_id text not null, id text not null, expires_at_ms bigint not null,
      primary key (agent_id, project_id));
    create table task_dependencies (
      task_id text not null, depends_on_id text not null, primary key (task_id, depends_on_id));
    create index task_dependencies_by_target on task_dependencies (depends_on_id);
    create table task_requests (
      id text primary key, project_id text not null, requester_id text not null, assignee_id text not null,
      title text not null, description text not null, status text not null, decided_by text, reason text,
      task_id text, created_at_ms bigint not null);
    create index task_requests_by_project on task_requests (project_id, status);
    create table executions (
      id text primary key, agent_id text not null, project_id text not null, task_id text not null,
      status text not null, summary text, model text, started_at_ms bigint not null, ended_at_ms bigint);
    create index executions_by_agent on executions (agent_id, project_id, started_at_ms);
    create table conversations (
      id text primary key, project_id text not null, initiator_id text not null, participant_id text not null,
      purpose text not null, status text not null, turns integer not null, max_turns integer not null,
      delegation_id text, ended_by text, outcome text, created_at_ms bigint not null, changed_at_ms bigint not null);
    create index conversations_by_initiator on conversations (initiator_id, project_id, status);
    create index conversations_by_participant on conversations (participant_id, project_id, status);
    create index conversations_by_delegation on conversations (delegation_id);
    create table delegations (
      id text primary key, project_id text not null, agent_id text not null, target_id text not null,
      task_id text not null, purpose text not null, context text, status text not null, result text,
      created_at_ms bigint not null, changed_at_ms bigint not null);
    create index delegations_by_agent on delegations (agent_id, project_id, status);
    create index delegations_by_task on delegations (task_id);
  `,
  sqlite: `
    create table tasks (
      seq integer primary key autoincrement, ${taskColumns()});
    ${taskIndexes()}
    create table task_events (seq integer primary key autoincrement, ${eventColumns()});
    create index task_events_by_project on task_events (project_id, seq);
    create index task_events_by_task on task_events (task_id, seq);
    create table messages (seq integer primary key autoincrement, ${messageColumns()});
    ${messageIndexes()}
    create table notifications (seq integer primary key autoincrement, ${notificationColumns()});
    create index notifications_by_agent on notifications (agent_id, project_id, read_at_ms);
  `,
  postgres: `
    create table tasks (seq bigint generated always as identity primary key, ${taskColumns()});
    ${taskIndexes()}
    create table task_events (seq bigint generated always as identity primary key, ${eventColumns()});
    create index task_events_by_project on task_events (project_id, seq);
    create index task_events_by_task on task_events (task_id, seq);
    create table messages (seq bigint generated always as identity primary key, ${messageColumns()});
    ${messageIndexes()}
    create table notifications (seq bigint generated always as identity primary key, ${notificationColumns()});
    create index notifications_by_agent on notifications (agent_id, project_id, read_at_ms);
  `,
};

function taskColumns(): string {
  return `id text not null unique, project_id text not null, parent_id text, title text not null,
      description text not null, status text not null, assignee_id text, created_by text not null,
      is_claimed integer not null, lease_session_id text, lease_expires_at_ms bigint, fence bigint not null,
      result text, summary text, reason text, created_at_ms bigint not null, changed_at_ms bigint not null`;
}

function taskIndexes(): string {
  return `
    create index tasks_free on tasks (project_id, seq) where status = 'todo' and assignee_id is null;
    create index tasks_claimed on tasks (project_id, lease_expires_at_ms) where status = 'in_progress' and is_claimed = 1;
    create index tasks_by_assignee on tasks (assignee_id, project_id, status);
    create index tasks_by_parent on tasks (parent_id, title);
    create index tasks_by_project on tasks (project_id, status, seq);`;
}

function eventColumns(): string {
  return `project_id text not null, task_id text not null, at_ms bigint not null, by_whom text not null,
      what text not null, from_status text, to_status text, fence bigint not null, reason text`;
}

function messageColumns(): string {
  return `id text not null unique, conversation_id text not null, project_id text not null,
      from_id text not null, to_id text not null, content text not null, sent_at_ms bigint not null,
      delivered_at_ms bigint, read_at_ms bigint`;
}

function messageIndexes(): string {
  return `
    create index messages_by_conversation on messages (conversation_id, seq);
    create index messages_unread on messages (to_id, project_id, seq) where read_at_ms is null;`;
}

function notificationColumns(): string {
  return `id text not null unique, agent_id text not null, project_id text not null, kind text not null,
      message text not null, task_id text, sent_at_ms bigint not null, read_at_ms bigint`;
}
