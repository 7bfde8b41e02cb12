/** One forward step of the schema: statements of plain SQL for both engines, then those of one. */
interface Migration {
  /** A name in braces is spelled by each engine in its way; see `spellings`. */
  readonly both: string;
  readonly sqlite?: string | undefined;
  readonly postgres?: string | undefined;
  /** Servers that do not know this step cannot run after it. */
  readonly contracts?: true | undefined;
}

/**
 * Every step, in order; a database's version is the number of steps taken. Only append, and never edit a step once it
 * is released.
 * Servers of the previous version keep running during and after a step until each is replaced. So a step expands: it
 * adds tables, columns with a default or without `not null`, and indexes, and its program writes both the old and the
 * new. A later step contracts: it removes what is no longer read, once no server is left that knows less than the step
 * before it.
 */
export const migrations: readonly Migration[] = [
  {
    // Audit, tokens, approvals, rates, memories.
    both: `
      create table audit_head (
        id integer primary key, seq bigint not null, hash text not null, seal text not null);
      create table memory_owners (owner text primary key, memories bigint not null, words bigint not null);
      create table tokens (
        id text primary key, hash text not null unique, user_name text not null, role text, toolsets text,
        created_at_ms bigint not null, expires_at_ms bigint, revoked_at_ms bigint);
      create table approvals (
        id text primary key, principal text not null, session_id text not null, tool text not null,
        digest text not null, message text not null, rule text not null, status text not null,
        created_at_ms bigint not null, expires_at_ms bigint not null,
        decided_by text, scope text, grant_text text);
      create unique index approvals_open on approvals (principal, tool, digest)
        where status in ('pending', 'approved');
      create index approvals_granted on approvals (principal, tool, grant_text)
        where scope in ('session', 'always');
      create index approvals_by_time on approvals (status, created_at_ms);
      create table audit (
        seq {key}, at_ms bigint not null, principal text not null, tool text not null,
        outcome text not null, body text not null, hash text not null);
      create table rates (key text primary key, hits bigint not null, touched_at_ms bigint not null) {compact};
      create table rate_hits (
        key text not null, slot bigint not null, at_ms bigint not null, primary key (key, slot)) {compact};
      create table memories (
        seq {numbered}, id text not null unique, owner text not null, content text not null,
        category text not null, tags text not null, created_at_ms bigint not null,
        updated_at_ms bigint not null, gist text not null, category_key text not null, tags_key text not null,
        words text not null);
      create index memories_by_owner on memories (owner, seq);
      create unique index memories_same on memories (owner, gist);`,
    sqlite: `
      create virtual table memory_words using fts5 (
        words, content='', contentless_delete=1, tokenize='ascii', detail='none');
      create virtual table memory_terms using fts5vocab (memory_words, 'row');`,
    postgres: `
      alter table memories add column word_index tsvector not null default ''::tsvector;
      create index memories_by_word on memories using gin (word_index);`,
  },
  {
    // Agents, their sessions, tasks, conversations and delegations.
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
      create table tasks (
        seq {numbered}, id text not null unique, project_id text not null, parent_id text, title text not null,
        description text not null, status text not null, assignee_id text, created_by text not null,
        is_claimed integer not null, lease_session_id text, lease_expires_at_ms bigint, fence bigint not null,
        result text, summary text, reason text, created_at_ms bigint not null, changed_at_ms bigint not null);
      create index tasks_free on tasks (project_id, seq) where status = 'todo' and assignee_id is null;
      create index tasks_claimed on tasks (project_id, lease_expires_at_ms)
        where status = 'in_progress' and is_claimed = 1;
      create index tasks_by_assignee on tasks (assignee_id, project_id, status);
      create index tasks_by_parent on tasks (parent_id, title);
      create index tasks_by_project on tasks (project_id, status, seq);
      create table task_events (
        seq {numbered}, project_id text not null, task_id text not null, at_ms bigint not null,
        by_whom text not null, what text not null, from_status text, to_status text, fence bigint not null,
        reason text);
      create index task_events_by_project on task_events (project_id, seq);
      create index task_events_by_task on task_events (task_id, seq);
      create table messages (
        seq {numbered}, id text not null unique, conversation_id text not null, project_id text not null,
        from_id text not null, to_id text not null, content text not null, sent_at_ms bigint not null,
        delivered_at_ms bigint, read_at_ms bigint);
      create index messages_by_conversation on messages (conversation_id, seq);
      create index messages_unread on messages (to_id, project_id, seq) where read_at_ms is null;
      create table notifications (
        seq {numbered}, id text not null unique, agent_id text not null, project_id text not null,
        kind text not null, message text not null, task_id text, sent_at_ms bigint not null, read_at_ms bigint);
      create index notifications_by_agent on notifications (agent_id, project_id, read_at_ms);`,
  },
  {
    // Changes of files: who, when, and the state before and after.
    both: `
      create table history (
        id text primary key, seq bigint not null, at_ms bigint not null, principal text not null,
        session_id text not null, tool text not null, audit_id text not null, root text not null,
        path text not null, action text not null, before_state text not null, after_state text not null,
        digest text, undoes text, undone_by text);
      create index history_by_order on history (seq);
      create index history_by_session on history (session_id, seq);
      create index history_by_path on history (root, path, seq);`,
  },
  {
    // Conversations with a model over HTTP.
    both: `
      create table ask_sessions (
        id text primary key, principal text not null, body text not null, updated_at_ms bigint not null,
        holder text, held_until_ms bigint not null);
      create index ask_sessions_by_owner on ask_sessions (principal, updated_at_ms);`,
  },
  {
    // Console logins, and codes of links not yet followed.
    both: `
      create table console_codes (hash text primary key, person text not null, expires_at_ms bigint not null);
      create table console_sessions (
        hash text primary key, person text not null, token_id text, used_at_ms bigint not null,
        ends_at_ms bigint not null);
      create index console_sessions_by_end on console_sessions (ends_at_ms);`,
  },
  {
    // Vectors of memories, and which memories wait for one.
    both: `
      alter table memory_owners add column vector_rev bigint not null default 0;
      create table memory_embedding (
        id integer primary key, model text not null, scanned_seq bigint not null);
      create table memory_vectors (
        seq {key} references memories (seq) on delete cascade, owner text not null, model text not null,
        dimensions integer, code {bytes}, vector {bytes}, rev bigint not null default 0,
        attempts integer not null default 0, due_at_ms bigint);
      create index memory_vectors_waiting on memory_vectors (model, due_at_ms);
      create index memory_vectors_codes on memory_vectors (owner, model, dimensions, due_at_ms, seq, code);
      create index memory_vectors_new on memory_vectors (owner, rev) where due_at_ms is null;`,
  },
  {
    // An index for an agent's tasks in progress that skips its finished ones.
    both: `
      drop index tasks_by_assignee;
      create index tasks_by_assignee on tasks (assignee_id, status, seq);`,
  },
  {
    // An inbox for records of several servers, so that no call waits for the head of the chain.
    both: `
      create table audit_writers (writer text primary key, n bigint not null, hash text not null, seal text not null);
      create table audit_inbox (
        id {arrival}, writer text not null, n bigint not null, at_ms bigint not null,
        principal text not null, tool text not null, outcome text not null, body text not null,
        hash text not null, unique (writer, n));`,
  },
  {
    // Notices and their delivery, their links, and the devices and passkeys of people.
    both: `
      create table notices (
        id text primary key, at_ms bigint not null, channel text not null, kind text not null,
        questions text not null, status text not null, attempts integer not null, next_at_ms bigint,
        ended_at_ms bigint, problem text);
      create index notices_by_time on notices (at_ms);
      create index notices_by_next on notices (next_at_ms);
      create table notice_told (
        channel text not null, question text not null, at_ms bigint not null, primary key (channel, question));
      create table notice_links (
        hash text primary key, kind text not null, channel text not null, questions text not null,
        expires_at_ms bigint not null);
      create table push_devices (
        id text primary key, person text not null, label text not null, endpoint text not null unique,
        p256dh text not null, auth text not null, locale text not null, created_at_ms bigint not null);
      create table passkeys (
        id text primary key, person text not null, token_id text, host text not null, label text not null,
        public_key text not null, counter bigint not null, transports text not null, created_at_ms bigint not null,
        used_at_ms bigint);
      create table passkey_challenges (hash text primary key, expires_at_ms bigint not null);`,
  },
  // Logins by passkey end with the passkey, for when a device is lost.
  { both: 'alter table console_sessions add column passkey_id text;' },
  {
    // Who may answer a question, the source of its rule, and the extent of a standing approval.
    both: `
      alter table approvals add column folder text;
      alter table approvals add column answer text;
      alter table approvals add column written_at text;
      alter table approvals add column until_ms bigint;
      alter table approvals add column last_used_at_ms bigint;
      alter table approvals add column instead text;
      alter table approvals add column plan_id text;
      drop index approvals_granted;
      create index approvals_granted on approvals (principal, tool)
        where scope in ('session', 'until', 'folder', 'always');`,
  },
  {
    // The servers that use this store.
    both: `
      create table nodes (
        id text primary key, host text not null, address text not null, version text not null, pid bigint not null,
        started_at_ms bigint not null, is_draining integer not null, calls bigint not null,
        load_percent bigint not null, resident_bytes bigint not null, clock_ms bigint not null,
        seen_at_ms bigint not null);`,
  },
  {
    // Which server owns a thing in its process, and requests of others about it.
    both: `
      create table relay_keys (name text primary key, node text not null, at_ms bigint not null);
      create index relay_keys_by_node on relay_keys (node);
      create table relay_words (
        id text primary key, node text not null, name text not null, body text not null, answer text,
        at_ms bigint not null);
      create table ended_sessions (id text primary key, at_ms bigint not null);
      create index relay_words_by_node on relay_words (node);`,
  },
  {
    // Former contents of files for servers on several machines, and the folders that each serves.
    both: 'alter table nodes add column roots text;',
    postgres: `
      create table history_contents (
        digest text not null, part integer not null, bytes bytea not null, at_ms bigint not null,
        primary key (digest, part));`,
  },
  {
    // The start of the audit chain after its oldest records were removed.
    both: `
      create table audit_start (id integer primary key, seq bigint not null, hash text not null, seal text not null);
      create index task_events_by_time on task_events (at_ms);`,
  },
  {
    // Unassigned tasks leave the index by assignee, so that a search for a free task never reads them all through it.
    both: `
      drop index tasks_by_assignee;
      create index tasks_by_assignee on tasks (assignee_id, status, seq) where assignee_id is not null;`,
  },
  // A question in parts, as JSON.
  { both: 'alter table approvals add column about text;' },
  // One row while a person has stopped all work.
  { both: 'create table halts (id integer primary key, by_name text not null, at_ms bigint not null);' },
];

const spellings = {
  sqlite: {
    '{numbered}': 'integer primary key autoincrement',
    '{arrival}': 'integer primary key',
    '{key}': 'integer primary key',
    '{bytes}': 'blob',
    '{compact}': 'without rowid',
  },
  postgres: {
    '{numbered}': 'bigint generated always as identity primary key',
    '{arrival}': 'bigint generated by default as identity primary key',
    '{key}': 'bigint primary key',
    '{bytes}': 'bytea',
    '{compact}': '',
  },
};

/** A step's statements for an engine. */
export function statementsOf(step: Migration, engine: keyof typeof spellings): string {
  const both = step.both.replace(
    /\{\w+\}/g,
    (word) => spellings[engine][word as keyof typeof spellings.sqlite],
  );
  return both + (step[engine] ?? '');
}
